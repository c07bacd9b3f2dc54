#!/usr/bin/env python3
"""The line of xcli list about a program that is alone and does nothing but synchronous copies: nothing asks its device
about them, so that the copies themselves have to tell what is over."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GIVEN = None  # the command line
COPIES = 595


class Copies(unittest.TestCase):
    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("XSCHED_", "XLOG_", "LD_", "FAKE_"))}
        self.environment = {**clean, "XSCHED_SOCKET": str(folder / "x.sock"), "XLOG_LEVEL": "INFO"}
        server = self.start([GIVEN.xserver, "--no-supervise"], stdout=subprocess.PIPE)
        self.assertIn(b"listening", server.stdout.readline())

    def start(self, words, **more):
        process = subprocess.Popen(words, **{"env": self.environment, **more})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def queue_after(self, direction, size):
        preload = ":".join(part for part in (GIVEN.sanitizer, GIVEN.shim) if part)
        program = self.start([GIVEN.program, direction, str(COPIES), str(size)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, env={**self.environment, "LD_PRELOAD": preload,
                                                          "XSCHED_CUDA_LIB": GIVEN.driver, "XLOG_LEVEL": "WARN"})
        self.assertEqual(program.stdout.readline(), b"copied\n")
        listed = subprocess.run([GIVEN.xcli, "list", "--json"], env=self.environment, capture_output=True, timeout=60,
                                check=True)
        queues = json.loads(listed.stdout)["queues"]
        self.assertEqual(len(queues), 1)
        self.assertEqual(queues[0]["submitted"], COPIES)
        program.stdin.close()
        self.assertEqual(program.wait(timeout=60), 0)
        program.stdout.close()
        return queues[0]

    def test_what_was_read_back_is_over(self):
        queue = self.queue_after("from", 1 << 17)
        self.assertEqual((queue["in_flight"], queue["completed"], queue["state"]), (0, COPIES, "idle"))

    def test_of_uploads_only_the_last_may_be_under_way(self):
        queue = self.queue_after("to", 1 << 17)
        self.assertLessEqual(queue["in_flight"], 1)
        self.assertGreaterEqual(queue["completed"], COPIES - 1)

    def test_small_uploads_tell_nothing(self):
        self.assertEqual(self.queue_after("to", 64)["completed"], 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("shim", "driver", "program", "xserver", "xcli", "sanitizer"):
        parser.add_argument(f"--{name}", required=True)
    GIVEN, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
