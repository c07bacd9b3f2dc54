#!/usr/bin/python3
"""`make real-kubernetes`: the driver, the manifests and the lines of the documents on a real kubelet, API server and
scheduler, with a real Helm. docs/KUBERNETES.md says what was tried.

  run.py --build BUILD [unittest's arguments]

The cluster has one node, in namespaces of its own (cluster.py), and a stand-in for a GPU's driver. Ends with 77 and the
reason where it cannot be had (parts.py).
"""
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kubernetes"))
import cluster  # noqa: E402
import given  # noqa: E402
import parts  # noqa: E402

SKIPPED = 77
RUN_SECONDS = 900  # safety; it took a minute and a half on 2026-11-29
NAMESPACES = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--net", "--uts", "--ipc", "--propagation",
              "private")
GROUPS = Path("/sys/fs/cgroup")


def why_not():
    if os.geteuid() != 0:
        return "a kubelet needs root"
    if subprocess.run([*NAMESPACES, "true"], stderr=subprocess.DEVNULL).returncode != 0:
        return "this machine does not allow namespaces of mounts, processes and networks"
    return None


def remove_groups():
    """Removes the pods' control groups, which are the machine's. Those of other kubelets have processes, and stay."""
    for place in (GROUPS, *GROUPS.glob("*")):
        if (folder := place / "kubepods").is_dir():
            subprocess.run(["find", folder, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"],
                           stderr=subprocess.DEVNULL)


def run_inside(words):
    """Runs this program again, in namespaces."""
    try:
        return subprocess.run([*NAMESPACES, sys.executable, "-B", __file__, *words, "--inside"],
                              timeout=RUN_SECONDS).returncode
    except subprocess.TimeoutExpired:
        print(f"FAILED: not ready after {RUN_SECONDS} s")
        return 1
    finally:
        remove_groups()


def main():
    given.BUILD = Path(sys.argv[sys.argv.index("--build") + 1]).resolve()
    inside = "--inside" in sys.argv
    if not inside and (reason := why_not()):
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    try:
        given.PARTS = parts.prepare()
    except parts.Unavailable as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    if not inside:
        sys.exit(run_inside(sys.argv[1:]))
    del sys.argv[-1]
    at = sys.argv.index("--build")
    del sys.argv[at:at + 2]
    cluster.make_machine()
    import daemons_test
    import manifests_test
    import node_test
    modules = (manifests_test, daemons_test, node_test)
    loader = unittest.TestLoader()
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    tests = [loader.loadTestsFromModule(module) for module in modules]
    if wanted:  # such as DevicePlugin.test_the_numbers_name_the_pod
        tests = [loader.loadTestsFromName(name, module) for name in wanted for module in modules
                 if hasattr(module, name.partition(".")[0])]
    done = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(tests))
    sys.exit(not done.wasSuccessful())


if __name__ == "__main__":
    main()
