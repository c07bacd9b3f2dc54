#!/usr/bin/python3
"""A node of a cluster, for kubernetes_test.py: runs on the booted machine, beside the packages' services. Stand-ins of
kubelet and of the API server have the driver prepare claims; podman runs the pods with the names that it answers, in
groups where kubelet would make them. Prints what was seen as JSON.
"""
import atexit
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kubernetes"))
import stand_ins  # noqa: E402
from stand_ins import parameters, result, until  # noqa: E402

GPU, UUID, ADDRESS = "gpu-0000-3b-00-0", "GPU-604ac76c", "0000:3b:00.0"
MACHINE = Path("/srv/machine")
WORKS_S = 12  # how long a pod's program works
GROUPS = Path("/sys/fs/cgroup/unified" if Path("/sys/fs/cgroup/unified").exists() else "/sys/fs/cgroup")
# A CDI specification, which gives containers the device and the driver as the vendor's toolkit would: here the fake
# driver.
VENDORS = {"cdiVersion": "0.5.0", "kind": "nvidia.com/gpu", "devices": [{"name": UUID, "containerEdits": {
    "env": ["XSCHED_CUDA_LIB=/srv/libfakecuda.so", "FAKE_CUDA_SHARED=/srv/device"],
    "mounts": [{"hostPath": "/tmp/device", "containerPath": "/srv/device", "options": ["rw", "bind"]}]}}]}


def run(*words):
    return subprocess.run([str(word) for word in words], text=True, check=True, stdout=subprocess.PIPE).stdout


def queues():
    """The queues that are scheduled, by their priority."""
    return {queue["priority"]: queue for queue in json.loads(run("xcli", "list", "--json"))["queues"]}


def make_gpu():
    facts = MACHINE / "proc/driver/nvidia/gpus" / ADDRESS
    facts.mkdir(parents=True)
    (facts / "information").write_text(f"Model: \t\t NVIDIA H200\nGPU UUID: \t {UUID}\n")
    Path("/etc/cdi").mkdir(exist_ok=True)
    Path("/etc/cdi/nvidia.json").write_text(json.dumps(VENDORS))
    Path("/tmp/device").mkdir(mode=0o1777)
    Path("/tmp/device").chmod(0o1777)


def start_driver(api):
    Path("/etc/default/xsched-kubernetes").write_text(
        f"OPTIONS=--node node-a --machine {MACHINE} --api {api.url} --authority {api.authority} --token {api.token} "
        "--look-every 1\n")
    run("systemctl", "restart", "xsched-kubernetes")
    registry = Path("/var/lib/kubelet/plugins_registry")
    until("the driver is there", lambda: list(registry.glob("*.sock")))


def pod(name, cdi):
    """Runs the pod's container."""
    devices = [word for device in cdi for word in ("--device", device)]
    return subprocess.Popen(["podman", "run", "--rm", "--cgroup-parent", f"/kubepods/burstable/pod{name}", *devices,
                             "--rootfs", "/srv/app:O", "/srv/guest", "cuda", "none", str(WORKS_S)],
                            text=True, stdout=subprocess.PIPE)


def remove_groups():
    """Removes the pods' groups, which are the host's."""
    for top in GROUPS.glob("kubepods"), Path("/sys/fs/cgroup").glob("*/kubepods"):
        for folder in top:
            subprocess.run(["find", folder, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"], check=False)


def main():
    make_gpu()
    atexit.register(remove_groups)
    api = stand_ins.ApiServer(tempfile.mkdtemp(), "node-a")
    start_driver(api)
    kubelet = stand_ins.Kubelet("/var/lib/kubelet")
    seen = {"plugin": kubelet.register().name}
    until("a slice is published", api.slices)
    children = {}
    for name, share, ceiling, priority in (("urgent", 60, 50, 200), ("batch", 30, 0, -5)):
        (GROUPS / f"kubepods/burstable/pod{name}").mkdir(parents=True, exist_ok=True)
        config = [parameters("FromClass", mostUrgentPriority=ceiling), parameters("FromClaim", priority=priority)]
        uid = api.claim(name, [result(GPU, share)], config, [name])
        answer = kubelet.prepare(name, uid)
        if answer.error:
            raise SystemExit(answer.error)
        children[name] = pod(name, answer.devices[0].cdi_device_ids)
    until("both are scheduled", lambda: set(queues()) >= {50, -5})
    seen["queues"] = {str(priority): {"cgroup": queue["cgroup"], **queue.get("group_gets", {})}
                      for priority, queue in queues().items()}
    seen["said"] = {name: child.communicate(timeout=WORKS_S + stand_ins.SEEN_S)[0].splitlines()[-1:]
                    for name, child in children.items()}
    for name in children:
        kubelet.unprepare(name, f"uid-of-{name}")
    seen["left"] = [str(path) for path in Path("/var/run/cdi").glob("*.json")]
    seen["limits"] = run("journalctl", "-u", "xserver", "-o", "cat").count(":share=0")
    run("systemctl", "stop", "xsched-kubernetes")
    print(json.dumps(seen))


if __name__ == "__main__":
    try:
        main()
    except AssertionError as late:
        sys.exit(f"{late}\n{run('journalctl', '-u', 'xsched-kubernetes', '-n', '30')}")
