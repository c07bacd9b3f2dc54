"""The device plugin on a real kubelet, API server, scheduler and containerd."""
import json
import signal
import unittest
from pathlib import Path

import given
from cluster import IMAGE, NODE, WORK, run, until

RESOURCE = "xsched.io/share"
GPUS = {"0000:3b:00.0": "GPU-604ac76c", "0000:86:00.0": "GPU-1b7e0d52"}
MOST_URGENT = 20
MACHINE = Path("/run/machine")
WORKS_S = 600  # how long a pod's program works, if it is not removed before
# The vendor's toolkit gives a container its device and driver: here the fake one.
VENDORS = {"cdiVersion": "0.5.0", "kind": "nvidia.com/gpu"}


def make_gpus():
    for address, uuid in GPUS.items():
        facts = MACHINE / "proc/driver/nvidia/gpus" / address
        facts.mkdir(parents=True)
        (facts / "information").write_text(f"Model: \t\t NVIDIA H200\nGPU UUID: \t {uuid}\n")
    devices = []
    for uuid in GPUS.values():
        shared = Path("/run/devices") / uuid
        shared.mkdir(parents=True)
        shared.chmod(0o1777)
        edits = {"env": [f"XSCHED_CUDA_LIB={given.BUILD}/lib/libfakecuda.so", "FAKE_CUDA_SHARED=/srv/device"],
                 "mounts": [{"hostPath": str(shared), "containerPath": "/srv/device", "options": ["rw", "bind"]}]}
        devices.append({"name": uuid, "containerEdits": edits})
    Path("/var/run/cdi/nvidia.json").write_text(json.dumps({**VENDORS, "devices": devices}))


def pod(name, share, command=None):
    """A pod whose container asks for shares. It sees this machine's programs."""
    command = command or [str(given.BUILD / "bin/guest"), "cuda", "none", str(WORKS_S)]
    places = {"programs": "/usr", "build": str(given.BUILD)}
    container = {"name": "main", "image": IMAGE, "imagePullPolicy": "Never", "command": command,
                 "resources": {"limits": {RESOURCE: str(share)}},
                 "volumeMounts": [{"name": volume, "mountPath": path, "readOnly": True}
                                  for volume, path in places.items()]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
        "restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
        "automountServiceAccountToken": False, "containers": [container],
        "volumes": [{"name": volume, "hostPath": {"path": path}} for volume, path in places.items()]}}


class DevicePlugin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = given.cluster()
        make_gpus()
        cls.start_server()
        cls.start_driver()
        cls.addClassCleanup(lambda: cls.cluster.end("driver"))
        cls.addClassCleanup(lambda: cls.cluster.end("xserver"))

    @classmethod
    def start_server(cls):
        cls.cluster.start("xserver", given.BUILD / "bin/xserver", "--system", "--no-supervise", "--guest-socket",
                          "/run/xsched-guests/xserver.sock", "--policy", "PUP")
        cls.cluster.until("xserver", "the server answers", lambda: "pid" in cls.xcli("server", "--json"))

    @classmethod
    def start_driver(cls, *more):
        cls.cluster.start("driver", given.BUILD / "bin/xsched-kubernetes", "--device-plugin", "--most-urgent",
                          str(MOST_URGENT), "--node", NODE, "--machine", MACHINE, "--xcli", given.BUILD / "bin/xcli",
                          "--api", "https://10.0.0.1:6443", "--authority", WORK / "ca.crt", "--certificate",
                          WORK / f"{NODE}.pem", "--look-every", "1", *more)
        cls.cluster.until("driver", "the node has the shares", lambda: cls.shares() == ("200", "200"))

    @staticmethod
    def xcli(*words):
        return run(given.BUILD / "bin/xcli", *words, ok=False)

    @classmethod
    def shares(cls):
        """The shares that the node has, and those that pods may have, as the API server tells."""
        status = cls.cluster.status_of_node()
        return tuple(status.get(kind, {}).get(RESOURCE) for kind in ("capacity", "allocatable"))

    def create(self, name, share, command=None):
        run("kubectl", "create", "-f", "-", text=json.dumps(pod(name, share, command)))
        self.addCleanup(run, "kubectl", "delete", "pod", name, "--ignore-not-found", "--now")

    def phase(self, name):
        return self.cluster.pod(name).get("status", {}).get("phase")

    def wait_until_it_runs(self, name):
        def runs():
            phase = self.phase(name)
            self.assertNotEqual(phase, "Failed", self.cluster.pod(name).get("status"))
            return phase == "Running"
        try:
            until(f"{name} runs", runs)
        except AssertionError as late:
            raise AssertionError(f"{late}\n{run('kubectl', 'describe', 'pod', name)[-3000:]}") from None

    def queues(self):
        """The queues that the server schedules, by their pod's uid."""
        found = {}
        said = self.xcli("list", "--json")
        for queue in json.loads(said)["queues"] if said.startswith("{") else []:
            for part in queue.get("cgroup", "").split("/"):
                if part.startswith("pod"):
                    found[part.removeprefix("pod")] = queue
        return found

    def uid_of(self, name):
        return self.cluster.pod(name)["metadata"]["uid"]

    def group_of(self, name):
        """The limits of the pod's group, once the driver has told them."""
        uid = self.uid_of(name)
        return until(f"the group of {name} is limited", lambda: self.queues().get(uid, {}).get("group_gets"))

    def variables(self, name):
        return run("kubectl", "exec", name, "--", "/usr/bin/env").splitlines()

    def test_pods_have_their_shares_and_what_does_not_fit_waits(self):
        self.create("serve", 70)
        self.create("train", 60)
        for name, share in (("serve", 70), ("train", 60)):
            self.wait_until_it_runs(name)
            self.assertIn(f"XSCHED_AUTO_XQUEUE_SHARE={share}", self.variables(name))
            group = self.group_of(name)
            self.assertEqual((group["share"], group["highest_priority"]), (share, MOST_URGENT))
        uuids = {next(line for line in self.mounts(name) if " /srv/device " in line).split()[3]
                 for name in ("serve", "train")}
        self.assertEqual(len(uuids), 2, "each pod has a GPU of its own")
        self.create("late", 80)
        until("the scheduler says why", lambda: f"Insufficient {RESOURCE}" in run("kubectl", "describe", "pod", "late"))
        run("kubectl", "delete", "pod", "serve", "--now")
        self.wait_until_it_runs("late")
        self.assertEqual(self.group_of("late")["share"], 80)

    def mounts(self, name):
        return run("kubectl", "exec", name, "--", "/usr/bin/cat", "/proc/self/mountinfo").splitlines()

    def test_shares_that_no_gpu_has_left_are_refused_on_the_node(self):
        for name in ("one", "two"):
            self.create(name, 60)
            self.wait_until_it_runs(name)
        self.create("divided", 80)
        until("the pod is refused", lambda: self.phase("divided") == "Failed")
        status = self.cluster.pod("divided")["status"]
        self.assertEqual(status["reason"], "UnexpectedAdmissionError")
        self.assertIn("no GPU of this node has 80 shares left", status["message"])

    def test_the_limits_are_taken_back_when_the_pod_is_gone(self):
        self.create("short", 25, ["/usr/bin/sleep", "1000"])
        self.wait_until_it_runs("short")
        uid = self.uid_of("short")
        until("the group is limited", lambda: f"pod{uid}:share=25" in self.cluster.log("xserver"))
        run("kubectl", "delete", "pod", "short", "--now")
        until("that is taken back", lambda: f"pod{uid}:share=0" in self.cluster.log("xserver"))

    def test_the_numbers_name_the_pod(self):
        self.create("counted", 30)
        self.wait_until_it_runs("counted")
        wanted = (f'pod_uid="{self.uid_of("counted")}"', 'pod="counted"', 'namespace="default"', 'container="main"')
        until("the numbers name the pod", lambda: any(
            all(label in line for label in wanted) for line in self.xcli("metrics").splitlines()
            if line.startswith("xsched_program_queues{")))

    def test_a_kubelet_that_starts_again_has_the_shares_again(self):
        self.create("before", 30)
        self.wait_until_it_runs("before")
        self.cluster.end("kubelet", signal.SIGKILL)
        self.cluster.start_kubelet()
        self.cluster.until("driver", "the driver is registered again",
                           lambda: self.cluster.log("driver").count("kubelet has registered") > self.registered)
        self.create("after", 30)
        self.wait_until_it_runs("after")
        self.assertEqual(self.group_of("before")["share"], 30)
        self.assertEqual(self.shares(), ("200", "200"))

    def setUp(self):
        self.registered = self.cluster.log("driver").count("kubelet has registered")

    def test_a_driver_that_starts_again_offers_the_shares_again(self):
        self.create("before", 30)
        self.wait_until_it_runs("before")
        self.group_of("before")
        self.cluster.end("driver", signal.SIGKILL)
        until("no shares are left to give", lambda: self.shares()[1] == "0")
        self.start_driver()
        self.create("after", 40)
        self.wait_until_it_runs("after")
        self.assertEqual((self.group_of("before")["share"], self.group_of("after")["share"]), (30, 40))

    def test_without_a_server_no_shares_are_offered(self):
        self.cluster.end("xserver")
        until("no shares are left to give", lambda: self.shares() == ("200", "0"))
        self.start_server()
        until("they are back", lambda: self.shares() == ("200", "200"))

    def test_a_kubelet_without_claims_refuses_the_driver_for_claims(self):
        self.cluster.start("claims", given.BUILD / "bin/xsched-kubernetes", "--node", NODE, "--machine", MACHINE,
                           "--xcli", given.BUILD / "bin/xcli", "--api", "https://10.0.0.1:6443", "--authority",
                           WORK / "ca.crt", "--certificate", WORK / f"{NODE}.pem", "--look-every", "1")
        self.addCleanup(self.cluster.end, "claims")
        self.cluster.until("claims", "kubelet refuses it", lambda: (
            "no handler registered for plugin type: DRAPlugin" in self.cluster.log("claims")))
