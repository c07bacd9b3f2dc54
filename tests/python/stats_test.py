#!/usr/bin/python3
"""The answers that xsched.stats reads: of a server of this test, with a program on the fake driver. Its names are those
of src/cli/fields.def, and its protocol that of the headers."""
import argparse
import dataclasses
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import xsched  # noqa: E402
from driver_program import DRIVER  # noqa: E402
from xsched import _link, stats  # noqa: E402

GIVEN = None  # the command line
PROGRAM = DRIVER + """
for value in range(5): write(value)
assert driver.cuStreamSynchronize(stream) == 0
print("ready", flush=True)
sys.stdin.read()
"""


def table():
    rows = re.findall(r'^XSCHED_FIELD\((\w+), ".*?", "(.*?)", "(\w+)"', (ROOT / "src/cli/fields.def").read_text(), re.M)
    return {key: (unit, where) for key, unit, where in rows}


class Names(unittest.TestCase):
    def test_they_are_those_of_json(self):
        known = table()
        places = {stats.ProcessStatus: "s", stats.QueueStats: "l", stats.ProgramStats: "p", stats.Lengths: "n",
                  stats.Held: "h", stats.Cost: "h", stats.HeldBy: "b", stats.Victim: "b", stats.DeviceUse: "d",
                  stats.Explanation: "e"}
        for kind, where in places.items():
            self.assertTrue(kind.__dataclass_params__.frozen, kind)
            for field in dataclasses.fields(kind):
                self.assertIn(field.name, known, kind)
                self.assertIn(where, known[field.name][1], (kind, field.name))

    def test_the_protocol_is_that_of_the_headers(self):
        layout = (ROOT / "src/ipc/layout.h").read_text()
        protocol = (ROOT / "src/ipc/protocol.h").read_text()
        self.assertIn(f"kVersion = {_link.VERSION};", layout)
        self.assertIn(f"kMagic = 0x{_link.MAGIC:x};", layout)
        self.assertIn("char program[64];", protocol)
        self.assertIn("kTool = 2", protocol)
        self.assertEqual(len(_link.SENTENCES), len(re.findall(r"^    k\w+ = \d,$", protocol, re.M)))


class Readings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if GIVEN is None:
            raise unittest.SkipTest("needs --libraries and --driver")
        cls.folder = tempfile.TemporaryDirectory()
        os.symlink(GIVEN.driver, os.path.join(cls.folder.name, "libcuda.so.1"))
        os.environ.update(XSCHED_SOCKET=os.path.join(cls.folder.name, "x.sock"), LD_LIBRARY_PATH=str(GIVEN.libraries),
                          XDG_RUNTIME_DIR=cls.folder.name)
        server = GIVEN.libraries.parent / "bin" / "xserver"
        cls.server = subprocess.Popen([server, "--socket", os.environ["XSCHED_SOCKET"], "--no-supervise"],
                                      stderr=subprocess.DEVNULL)
        cls.wait_until(lambda: os.path.exists(os.environ["XSCHED_SOCKET"]))
        environment = dict(os.environ, LD_PRELOAD=str(GIVEN.libraries / "libshimcuda.so"), XSCHED_SCHEDULER="global",
                           LD_LIBRARY_PATH=f"{cls.folder.name}:{GIVEN.libraries}", XSCHED_CUDA_LIB=str(GIVEN.driver),
                           XSCHED_AUTO_XQUEUE_PRIORITY="5")
        cls.program = subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        cls.program.stdout.readline()

    @classmethod
    def tearDownClass(cls):
        if GIVEN is None:
            return
        cls.program.communicate()
        cls.server.terminate()
        cls.server.wait(30)
        cls.folder.cleanup()

    @staticmethod
    def wait_until(true, seconds=30):
        until = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < until
            time.sleep(0.02)

    def test_programs_and_their_queues(self):
        self.wait_until(lambda: xsched.queues())
        program = xsched.programs(self.program.pid)[0]
        # The program has two queues: its own stream and its default stream, which gets one before its first command
        # because the program has a priority.
        self.assertEqual((program.pid, program.priority, program.queues), (self.program.pid, 5, 2))
        self.assertEqual([held.seconds for held in program.held], [1, 10, 60])
        for name in ("bursts", "commands", *(key for key in table() if key.endswith("_lengths"))):
            self.assertIsInstance(getattr(program, name), stats.Lengths, name)
        self.assertIsInstance(program.devices[0], stats.DeviceUse)
        queue = xsched.queues(self.program.pid)[1]
        self.assertEqual((queue.queue, queue.priority, queue.submitted, queue.platform), (2, 5, 5, "cuda"))
        self.assertEqual(queue.device_index, 0)
        self.assertTrue(queue.device_name)
        with self.assertRaises(dataclasses.FrozenInstanceError):
            queue.priority = 7

    def test_status_and_explanations(self):
        status = xsched.status()
        self.assertEqual(status.policy, "HPF")
        self.assertEqual([process.pid for process in status.processes], [self.program.pid])
        explanation = xsched.explain(self.program.pid)[0]
        self.assertTrue(explanation.not_us, explanation)
        self.assertIsInstance(explanation.facts, stats.ProgramStats)

    def test_who_is_not_there_is_named(self):
        for ask in (xsched.programs, xsched.queues, xsched.explain):
            with self.assertRaises(xsched.RefusedError) as caught:
                ask("nobody-of-that-name")
            self.assertEqual(caught.exception.kind, "nobody")
            self.assertIsInstance(caught.exception, xsched.NotFoundError)
            self.assertIsInstance(caught.exception, LookupError)
            self.assertIsInstance(caught.exception, xsched.XSchedError)
            self.assertIn("nobody-of-that-name", str(caught.exception))

    def test_without_a_server_the_sentence_says_where_it_looked(self):
        kept = os.environ["XSCHED_SOCKET"]
        os.environ["XSCHED_SOCKET"] = kept + ".none"
        try:
            for ask in (xsched.status, xsched.explain):
                with self.assertRaises(xsched.NoServerError) as caught:
                    ask()
                self.assertIn(kept + ".none", str(caught.exception))
                self.assertIsInstance(caught.exception, xsched.XSchedError)
        finally:
            os.environ["XSCHED_SOCKET"] = kept


if __name__ == "__main__":
    if "--libraries" in sys.argv:
        options = argparse.ArgumentParser()
        options.add_argument("--libraries", type=Path)
        options.add_argument("--driver", type=Path)
        GIVEN, rest = options.parse_known_args()
        sys.argv[1:] = rest
    unittest.main()
