#!/usr/bin/python3
"""xsched-kubernetes beside a stand-in of kubelet and of the API server, with a real server and real tools.

  driver_test.py --bin FOLDER [unittest's arguments]

FOLDER has xsched-kubernetes, xcli and xserver. Ends with 77 where Python's gRPC or protoc is not there.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SKIPPED = 77
try:
    import yaml
except ImportError:
    yaml = None
try:
    import stand_ins
    from stand_ins import DRIVER, parameters, result, until
except ImportError as missing:
    print(f"skipped: {missing} (scripts/install_deps.sh deb)")
    sys.exit(SKIPPED)

GPU, ADDRESS = "gpu-0000-3b-00-0", "0000:3b:00.0"
ENDS_S = 20  # safety
BIN = Path()
# A script in the place of xcli: it prints list.json for `list` if the test has made that file, and otherwise runs the
# real xcli.
XCLI = """#!/bin/sh
if [ "$1" = list ] && [ -e {folder}/list.json ]; then exec cat {folder}/list.json; fi
exec {xcli} "$@"
"""


class Node(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="xsched-k8s-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {**os.environ, "XSCHED_SOCKET": f"{self.folder}/xserver.sock"}
        self.api = stand_ins.ApiServer(self.folder, "node-a")
        self.addCleanup(self.api.server.server_close)
        self.addCleanup(self.api.server.shutdown)
        self.kubelet = self.start_kubelet()
        xcli = self.folder / "xcli"
        xcli.write_text(XCLI.format(folder=self.folder, xcli=BIN / "xcli"))
        xcli.chmod(0o755)
        self.add_gpu()
        self.pod_group("pod-1")
        self.server = self.start_server()
        self.driver = self.start_driver()

    def start(self, *words):
        with self.log().open("a") as log:
            child = subprocess.Popen([str(word) for word in words], env=self.environment, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=log)
        self.addCleanup(self.end, child, signal.SIGKILL)
        return child

    @staticmethod
    def end(child, how=signal.SIGTERM):
        if child.poll() is None:
            child.send_signal(how)
            child.wait(ENDS_S)
        return child.returncode

    def start_server(self):
        child = self.start(BIN / "xserver", "--no-supervise", "--log-file", self.folder / "server.log")
        until("the server answers", lambda: subprocess.run(
            [BIN / "xcli", "server"], env=self.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL).returncode == 0)
        return child

    def start_kubelet(self):
        return stand_ins.Kubelet(self.folder / "kubelet")

    def start_driver(self, *more):
        child = self.start(BIN / "xsched-kubernetes", "--node", "node-a", "--kubelet", self.folder / "kubelet", "--cdi",
                           self.folder / "cdi", "--machine", self.folder / "machine", "--control-groups",
                           self.folder / "groups", "--xcli", self.folder / "xcli", "--api", self.api.url, "--authority",
                           self.api.authority, "--token", self.api.token, "--look-every", "1", *more)
        until("the driver is registered", lambda: self.is_registered() or child.poll() is not None)
        self.assertIsNone(child.poll(), self.log().read_text())
        return child

    def is_registered(self):
        if not list((self.folder / "kubelet/plugins_registry").glob("*.sock")):
            return False
        return self.kubelet.register()

    def log(self):
        return self.folder / "driver.log"

    def add_gpu(self):
        facts = self.folder / "machine/proc/driver/nvidia/gpus" / ADDRESS
        facts.mkdir(parents=True)
        (facts / "information").write_text("Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-604ac76c\n")

    def pod_group(self, pod):
        (self.folder / f"groups/kubepods/burstable/pod{pod}").mkdir(parents=True)

    def said(self):
        """The limits that the server was told, in order."""
        lines = (self.folder / "server.log").read_text().splitlines()
        return [line.split("limit ", 1)[1].split(",")[0] for line in lines if "limit /" in line]

    def expect_said(self, limits):
        """Waits until these are the last limits that the server was told: it writes its log behind its answers."""
        until(f"the server was told {limits}", lambda: self.said()[-len(limits):] == limits)

    def cdi(self):
        return {path.name: json.loads(path.read_text()) for path in (self.folder / "cdi").glob("*.json")}

    def devices(self):
        return [device for one in self.api.slices() for device in one["spec"]["devices"]]

    def taints(self):
        return {taint["key"].split("/")[1] for device in self.devices() for taint in device.get("taints", [])}


class Published(Node):
    def test_the_node_is_registered_and_its_slice_is_published(self):
        info = self.kubelet.register()
        self.assertEqual((info.type, info.name, list(info.supported_versions)), ("DRAPlugin", DRIVER, ["v1.DRAPlugin"]))
        [one] = until("a slice is there", self.api.slices)
        self.assertEqual(one["spec"]["nodeName"], "node-a")
        self.assertEqual(one["spec"]["pool"], {"name": "node-a", "generation": 1, "resourceSliceCount": 1})
        self.assertEqual(one["metadata"]["ownerReferences"][0]["uid"], "uid-of-the-node")
        [device] = one["spec"]["devices"]
        self.assertEqual((device["name"], device["allowMultipleAllocations"]), (GPU, True))
        self.assertEqual(device["capacity"]["share"]["value"], "100")

    def test_the_slice_is_kept_as_it_is_and_made_again_if_it_is_changed_or_gone(self):
        [before] = until("a slice is there", self.api.slices)
        version = self.api.version
        time.sleep(2.5)  # two looks
        self.assertEqual(self.api.version, version, "nothing is written without a reason")
        self.api.objects.pop(f"/apis/resource.k8s.io/v1/resourceslices/{before['metadata']['name']}")
        [again] = until("a slice is there again", self.api.slices)
        again["spec"]["devices"] = []
        self.api.put(f"/apis/resource.k8s.io/v1/resourceslices/{again['metadata']['name']}", again)
        until("its devices are back", self.devices)
        self.assertEqual(self.api.slices()[0]["spec"]["pool"]["generation"], 2)

    def test_what_is_wrong_with_a_device_is_a_taint(self):
        until("the device is there", self.devices)
        self.assertEqual(self.taints(), set())
        said = "AUTO: with the device at once, 99 of 100 bursts take up to 9 us: its target of 5 us cannot be met"
        (self.folder / "list.json").write_text(json.dumps({"queues": [{"device": "GPU:3b00", "policy_says": said}]}))
        until("targets are missed", lambda: self.taints() == {"targets-missed"})
        (self.folder / "list.json").unlink()
        until("targets are met", lambda: self.taints() == set())
        self.end(self.server)
        until("no server is there", lambda: self.taints() == {"no-server"})
        self.server = self.start_server()
        until("a server is there", lambda: self.taints() == set())
        config = self.folder / f"machine/sys/bus/pci/devices/{ADDRESS}/config"
        config.parent.mkdir(parents=True)
        config.write_bytes(b"\xff" * 64)
        until("the device is off the bus", lambda: self.taints() == {"off-the-bus"})


class Claims(Node):
    LIMITS = ["/kubepods/burstable/podpod-1:share=30", "/kubepods/burstable/podpod-1:device-limit=80",
              "/kubepods/burstable/podpod-1:highest-priority=50"]
    NONE = [line.split("=")[0] + f"={value}" for line, value in zip(LIMITS, (0, 0, 255))]

    def claim(self, name="one", pods=("pod-1",), share=30, **given):
        given = given or {"priority": 200, "latencyTarget": "5ms", "limit": 90}
        config = [parameters("FromClass", mostUrgentPriority=50, limit=80), parameters("FromClaim", ["gpu"], **given)]
        return self.api.claim(name, [result(GPU, share)], config, pods)

    def test_a_claim_becomes_a_cdi_device_and_limits_of_the_pods_group(self):
        uid = self.claim()
        answer = self.kubelet.prepare("one", uid)
        self.assertEqual(answer.error, "")
        [device] = answer.devices
        self.assertEqual((list(device.request_names), device.pool_name, device.device_name), (["gpu"], "node-a", GPU))
        [vendors, ours] = device.cdi_device_ids
        self.assertEqual(vendors, "nvidia.com/gpu=GPU-604ac76c")
        [spec] = self.cdi().values()
        self.assertEqual(ours, f"{spec['kind']}={spec['devices'][0]['name']}")
        edits = spec["devices"][0]["containerEdits"]
        for variable in ("PRIORITY=50", "SHARE=30", "LIMIT=80", "SLO_P99=5000"):
            self.assertIn(f"XSCHED_AUTO_XQUEUE_{variable}", edits["env"])
        self.assertTrue(any(line.startswith("LD_PRELOAD=") for line in edits["env"]), edits)
        self.expect_said(self.LIMITS)

        self.assertEqual(self.kubelet.prepare("one", uid), answer, "preparing again changes nothing")
        self.expect_said(self.LIMITS)
        self.assertEqual(self.kubelet.unprepare("one", uid).error, "")
        self.assertEqual(self.cdi(), {})
        self.expect_said(self.LIMITS + self.NONE)
        self.assertEqual(len(self.said()), 6, "nothing was told twice")
        self.assertEqual(self.kubelet.unprepare("one", uid).error, "", "taking back twice is no error")

    def test_wrong_claims_are_refused_with_a_sentence(self):
        for given, sentence in (({"prioritty": 3}, 'no parameter "prioritty" (did you mean "priority"?)'),
                                ({"mostUrgentPriority": 255}, "may stand in a DeviceClass alone"),
                                ({"limit": 130}, 'not "130"')):
            self.assertIn(sentence, self.kubelet.prepare("one", self.claim(**given)).error)
        self.assertIn("not found", self.kubelet.prepare("none", "uid-of-none").error)
        self.claim()
        self.assertIn("is another one by now", self.kubelet.prepare("one", "an-earlier-uid").error)
        uid = self.api.claim("far", [result("gpu-0000-ff-00-0", 5)])
        self.assertIn("this node has no device gpu-0000-ff-00-0", self.kubelet.prepare("far", uid).error)
        self.assertEqual((self.cdi(), self.said()), ({}, []))

    def test_nothing_is_prepared_without_a_server_to_hold_it(self):
        self.end(self.server)
        uid = self.claim()
        self.assertIn("no xserver answers", self.kubelet.prepare("one", uid).error)
        self.server = self.start_server()
        self.assertEqual(self.kubelet.prepare("one", uid).error, "")
        self.end(self.server)
        self.assertEqual(self.kubelet.unprepare("one", uid).error, "", "a pod may end all the same")

    def test_another_server_is_told_again(self):
        self.kubelet.prepare("one", self.claim())
        self.end(self.server)
        self.server = self.start_server()
        until("the limits are told", lambda: self.said() == self.LIMITS * 2)

    def test_the_driver_may_start_again(self):
        uid = self.claim()
        self.kubelet.prepare("one", uid)
        self.end(self.driver, signal.SIGKILL)
        self.driver = self.start_driver()
        self.assertEqual(self.kubelet.unprepare("one", uid).error, "")
        self.assertEqual(self.cdi(), {})
        self.expect_said(self.NONE)  # the limits of the driver before it are taken back

    def test_the_driver_ends_when_it_is_told_and_leaves_no_socket(self):
        self.assertEqual(self.end(self.driver), 0, self.log().read_text())
        self.assertEqual(list((self.folder / "kubelet").rglob("*.sock")), [])

    def test_a_driver_in_a_container_has_libraries_on_the_node(self):
        self.end(self.driver)
        self.driver = self.start_driver("--install", str(self.folder / "opt"))
        self.assertEqual(self.kubelet.prepare("one", self.claim()).error, "")
        [spec] = self.cdi().values()
        places = [mount["hostPath"] for mount in spec["devices"][0]["containerEdits"]["mounts"]]
        self.assertTrue(places[0].startswith(f"{self.folder}/opt/"), places)
        self.assertTrue((Path(places[0]) / "libshimcuda.so").exists(), places)

    def test_a_group_and_pods_that_come_later(self):
        uid = self.claim(pods=("pod-2",))
        self.assertEqual(self.kubelet.prepare("one", uid).error, "")
        self.assertEqual(self.said(), [])
        self.pod_group("pod-2")
        until("its group is limited", lambda: "/kubepods/burstable/podpod-2:share=30" in self.said())
        self.claim(pods=("pod-2", "pod-1"))
        for pod in ("pod-1", "pod-2"):
            until(f"{pod} has half", lambda pod=pod: f"/kubepods/burstable/pod{pod}:share=15" in self.said())

    def test_a_claim_that_the_cluster_has_no_more_is_taken_back(self):
        self.kubelet.prepare("one", self.claim())
        self.api.answers = False
        time.sleep(2)
        self.assertNotEqual(self.cdi(), {}, "an API server that does not answer says nothing about claims")
        self.api.answers = True
        self.api.objects.pop("/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/one")
        until("its file is gone", lambda: not self.cdi())
        until("its limits are gone", lambda: self.said()[-3:] == self.NONE)


@unittest.skipIf(yaml is None, "Python has no yaml: apt-get install python3-yaml")
class Manifests(Node):
    """The objects of packaging/kubernetes, and what the driver makes of them."""
    FOLDER = stand_ins.ROOT / "packaging/kubernetes"

    def objects(self, file):
        values = yaml.safe_load((self.FOLDER / "chart/values.yaml").read_text())

        def value(match):
            found = values
            for name in match[1].split("."):
                found = found[name]
            return str(found)

        # The chart's templates use only {{ .Values... }}, so they are filled in here by a regular expression, without
        # Helm.
        return list(yaml.safe_load_all(re.sub(r"\{\{ \.Values\.([\w.]+) \}\}", value, file.read_text())))

    def test_templates_are_whole_objects_with_values_alone(self):
        names = set()
        for file in (self.FOLDER / "chart/templates").glob("*.yaml"):
            self.assertNotIn("{{", str(self.objects(file)), file)
            for one in self.objects(file):
                names.add((one["kind"], one["metadata"]["name"]))
        self.assertLessEqual({("DaemonSet", "xsched"), ("DeviceClass", "xsched-batch"),
                              ("MutatingAdmissionPolicy", "xsched-annotations")}, names)

    def test_the_chart_has_the_version_of_the_build(self):
        built = re.search(r"^project\(xsched VERSION (\S+) ", (stand_ins.ROOT / "CMakeLists.txt").read_text(), re.M)[1]
        [chart] = self.objects(self.FOLDER / "chart/Chart.yaml")
        self.assertEqual((chart["version"], chart["appVersion"]), (built, built))

    def test_the_driver_takes_the_example_in_each_class(self):
        template, pod = self.objects(self.FOLDER / "example.yaml")
        devices = template["spec"]["spec"]["devices"]
        share = devices["requests"][0]["exactly"]["capacity"]["requests"]["share"]
        self.assertEqual(pod["spec"]["resourceClaims"][0]["resourceClaimTemplateName"], template["metadata"]["name"])
        wanted = {"xsched-urgent": 10, "xsched-shared": 10, "xsched-batch": -10}
        for one in self.objects(self.FOLDER / "chart/templates/classes.yaml"):
            name = one["metadata"]["name"]
            config = [{"source": "FromClass", **entry} for entry in one["spec"]["config"]]
            config += [{"source": "FromClaim", **entry} for entry in devices["config"]]
            answer = self.kubelet.prepare(name, self.api.claim(name, [result(GPU, share)], config, ["pod-1"]))
            self.assertEqual(answer.error, "", name)
            [spec] = [spec for file, spec in self.cdi().items() if name in file]
            variables = spec["devices"][0]["containerEdits"]["env"]
            self.assertIn(f"XSCHED_AUTO_XQUEUE_PRIORITY={wanted.pop(name)}", variables)
        self.assertEqual(wanted, {})


class DevicePlugin(Node):
    """The driver for clusters without consumable capacity."""
    RESOURCE = "xsched.io/share"

    def start_kubelet(self):
        kubelet = stand_ins.KubeletOfPlugins(self.folder / "kubelet")
        kubelet.start()
        self.addCleanup(lambda: self.kubelet.server.stop(None))
        return kubelet

    def start_driver(self, *more):
        return super().start_driver("--device-plugin", "--most-urgent", "20", *more)

    def is_registered(self):
        return self.kubelet.registered

    def units(self, size):
        devices = self.kubelet.devices(lambda health: len(health) == 100)
        return self.kubelet.prefer(sorted(devices), size)

    def test_a_gpu_is_a_hundred_shares_and_has_no_slice(self):
        [request] = self.kubelet.registered
        self.assertEqual((request.version, request.resource_name), ("v1beta1", self.RESOURCE))
        self.assertTrue(request.options.get_preferred_allocation_available)
        devices = self.kubelet.devices(lambda health: len(health) == 100)
        self.assertEqual(set(devices.values()), {"Healthy"})
        self.assertEqual(self.api.slices(), [])

    def test_a_gpu_that_fails_is_unhealthy(self):
        config = self.folder / f"machine/sys/bus/pci/devices/{ADDRESS}/config"
        config.parent.mkdir(parents=True)
        config.write_bytes(b"\xff" * 64)
        self.assertTrue(self.kubelet.devices(lambda health: set(health.values()) == {"Unhealthy"}))

    def test_a_pods_shares_become_a_cdi_device_and_limits_of_its_group(self):
        units = self.units(30)
        self.assertEqual(len(units), 30)
        answer = self.kubelet.allocate(units)
        [vendors, ours] = [device.name for device in answer.cdi_devices]
        self.assertEqual(vendors, "nvidia.com/gpu=GPU-604ac76c")
        self.assertEqual(dict(answer.annotations), {"cdi.k8s.io/xsched.io_share": f"{vendors},{ours}"})
        [spec] = self.cdi().values()
        self.assertEqual(ours, f"{spec['kind']}={spec['devices'][0]['name']}")
        self.assertIn("XSCHED_AUTO_XQUEUE_SHARE=30", spec["devices"][0]["containerEdits"]["env"])
        self.api.put("/api/v1/namespaces/default/pods/serve", {"metadata": {"uid": "pod-1"}})
        self.kubelet.listed = [("serve", self.RESOURCE, units), ("other", "example.com/thing", ["a"])]
        until("the group is limited", lambda: self.said() == [
            f"/kubepods/burstable/podpod-1:{setting}" for setting in ("share=30", "device-limit=0",
                                                                     "highest-priority=20")])
        self.kubelet.listed = []
        until("that is taken back", lambda: self.said()[-3:] == Claims.NONE)

    def test_shares_of_several_gpus_are_refused(self):
        with self.assertRaises(Exception) as refused:
            self.kubelet.allocate([f"{GPU}::1", "gpu-0000-4b-00-0::1"])
        self.assertIn("no GPU of this node has 2 shares left", str(refused.exception))

    def test_a_kubelet_that_starts_again_is_told_again(self):
        self.kubelet.server.stop(None).wait()
        self.kubelet.registered.clear()
        self.kubelet.start()
        until("it is registered again", lambda: self.kubelet.registered)
        self.assertEqual(len(self.kubelet.devices(lambda health: len(health) == 100)), 100)


if __name__ == "__main__":
    if shutil.which("protoc") is None:
        print("skipped: protoc is not installed (scripts/install_deps.sh deb)")
        sys.exit(SKIPPED)
    at = sys.argv.index("--bin")
    BIN = Path(sys.argv[at + 1]).resolve()
    del sys.argv[at:at + 2]
    unittest.main()
