#!/usr/bin/python3
"""The processors that are kept awake for a measurement: by whom, in which class, and for how long at most.

    awake_test.py BUILD     the build with bench/spinner
"""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
from lib import awake  # noqa: E402

BUILD = Path(".")
PATIENCE_SECONDS = 20
PARENT = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from lib import awake
kept = awake.Awake(SimpleNamespace(build=Path(sys.argv[1]), environment={}))
print(kept.process.pid if kept.process else 0, flush=True)
time.sleep(600)
"""


def session(build=None):
    return SimpleNamespace(build=build or BUILD, environment={})


def is_running(pid):
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def ends(pid):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_running(pid)


class Spinners(unittest.TestCase):
    def started(self):
        kept = awake.Awake(session())
        self.addCleanup(kept.stop)
        if kept.reason:
            self.skipTest(kept.reason)
        return kept

    def test_there_is_an_idle_thread_on_each_processor(self):
        pid = self.started().pids[0]
        threads = [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir() if int(task.name) != pid]
        self.assertEqual({os.sched_getscheduler(thread) for thread in [pid, *threads]}, {os.SCHED_IDLE})
        self.assertEqual(sorted(min(os.sched_getaffinity(thread)) for thread in threads),
                         sorted(os.sched_getaffinity(0)))
        self.assertTrue(all(len(os.sched_getaffinity(thread)) == 1 for thread in threads))

    def test_its_session_yields_to_all_others(self):
        pid = self.started().pids[0]
        self.assertEqual(os.getsid(pid), pid)
        if Path("/proc/self/autogroup").exists():
            self.assertIn("nice 19", Path(f"/proc/{pid}/autogroup").read_text())

    def test_it_is_gone_afterwards(self):
        kept = self.started()
        pid = kept.pids[0]
        kept.stop()
        self.assertFalse(is_running(pid))
        self.assertEqual(kept.pids, [])

    def test_it_pauses_for_what_is_measured_on_the_host(self):
        kept = self.started()
        with kept.paused():
            self.assertEqual(kept.pids, [])
        self.assertTrue(is_running(kept.pids[0]))

    def test_it_ends_with_a_parent_that_is_killed(self):
        parent = subprocess.Popen([sys.executable, "-B", "-c", PARENT, str(BUILD)], stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "PYTHONPATH": str(BENCH)})
        self.addCleanup(parent.stdout.close)
        pid = int(parent.stdout.readline())
        try:
            if not pid:
                self.skipTest("processors cannot be kept awake here")
            self.assertTrue(is_running(pid))
            parent.send_signal(signal.SIGKILL)
            self.assertTrue(ends(pid))
        finally:
            parent.kill()
            parent.wait()

    def test_it_does_not_outlive_a_parent_that_died_before_it_began(self):
        ended = subprocess.run([BUILD / "bench" / "spinner", "1", "0"], capture_output=True, text=True,
                               timeout=PATIENCE_SECONDS)
        self.assertEqual((ended.returncode, ended.stdout), (0, ""))


class Refusals(unittest.TestCase):
    def root(self, groups, *files):
        """A machine with these control groups and files."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, text in {"proc/self/cgroup": groups, **{file: "" for file in files}}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return folder

    def test_drivers_threads_are_pinned_all_the_same(self):
        there = session(Path("/nowhere"))
        kept = awake.Awake(there)
        self.assertEqual(there.environment, {"POCL_AFFINITY": "1"})
        self.assertIn("/nowhere/bench/spinner is not built", kept.says)
        self.assertEqual(kept.pids, [])
        kept.stop()

    def test_a_users_own_setting_stays(self):
        there = session(Path("/nowhere"))
        there.environment["POCL_AFFINITY"] = "0"
        awake.Awake(there)
        self.assertEqual(there.environment, {"POCL_AFFINITY": "0"})

    def test_the_machines_own_group_may(self):
        for groups, files in (("0::/\n", ()), ("0::/user.slice/a.scope\n", ()),  # no group divides processors by weight
                              ("1:cpu:/\n0::/\n", ("sys/fs/cgroup/cpu/release_agent",))):
            self.assertIsNone(awake.control_group(self.root(groups, *files)))

    def test_a_group_with_a_weight_of_its_own_may_not(self):
        """A container, a user's slice: there the idle class yields within the group only."""
        weight = "sys/fs/cgroup/user.slice/cpu.weight"
        self.assertEqual(awake.control_group(self.root("0::/user.slice/a.scope\n", weight)), "/user.slice/a.scope")
        self.assertEqual(awake.control_group(self.root("0::/\n", "sys/fs/cgroup/cpu.weight")), "/")
        self.assertEqual(awake.control_group(self.root("4:cpu,cpuacct:/docker/1\n")), "/docker/1")
        self.assertEqual(awake.control_group(self.root("4:cpu,cpuacct:/\n", "sys/fs/cgroup/cpu,cpuacct/tasks")), "/")
        self.assertIn("by weight", awake.refusal(Path("/bin/sh"), self.root("4:cpu:/docker/1\n")))
        self.assertEqual(awake.refusal(Path("/bin/sh"), self.root("4:cpu:/docker/1\n"), alone_here=True), "")


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
