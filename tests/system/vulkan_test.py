#!/usr/bin/env python3
"""Ordinary Vulkan programs under `xcli run`: XSched's layer above the real loader, on lavapipe where there is no GPU.

    vulkan_test.py --build DIR [--long]

Results are exact whatever happens to the queue, and Khronos' validation layer, which stands behind ours, is silent.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

LONGEST_S = 120  # for a program on a busy machine
BUILD = None     # given on the command line
VALIDATION = "VK_LAYER_KHRONOS_validation"
SKIPPED = 77


def until(found, patience_s=LONGEST_S):
    """The first value of `found` that counts as true; the last one if time runs out."""
    end = time.monotonic() + patience_s
    while not (value := found()) and time.monotonic() < end:
        time.sleep(0.05)
    return value


class Vulkan(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.load = BUILD / "bench/vulkan/vulkan_load"
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("XSCHED_", "XLOG_", "VK_")) or name == "VK_ICD_FILENAMES"}
        self.environment["XSCHED_SOCKET"] = str(self.folder / "x.sock")
        self.server = subprocess.Popen([BUILD / "bin/xserver", "--socket", self.environment["XSCHED_SOCKET"]],
                                       env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end_server)
        self.assertTrue(until(lambda: self.ask("server").returncode == 0), "the server does not answer")

    def end_server(self):
        self.server.terminate()
        self.server.wait(LONGEST_S)

    def ask(self, *words):
        return subprocess.run([BUILD / "bin/xcli", *words], env=self.environment, capture_output=True, text=True,
                              timeout=LONGEST_S, check=False)

    def queues(self):
        done = self.ask("list", "--json")
        return json.loads(done.stdout)["queues"] if done.returncode == 0 else []

    def start(self, *words, hints=(), more=None):
        program = subprocess.Popen([BUILD / "bin/xcli", "run", *hints, "--", self.load, *words],
                                   env=self.environment | (more or {}), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        return program

    def exact(self, program):
        out, errors = program.communicate(timeout=LONGEST_S)
        self.assertEqual(program.returncode, 0, out + errors)
        self.assertEqual(errors, "")
        self.assertEqual(json.loads(out)["wrong"], 0, out)
        return json.loads(out)

    def queue_of(self, program):
        return next((queue for queue in self.queues() if queue["pid"] == program.pid), None)

    def test_a_program_has_a_queue_of_the_device_and_counts_its_commands(self):
        program = self.start("busy", "2", "5")
        queue = until(lambda: self.queue_of(program))
        self.assertIsNotNone(queue, "the program has no queue")
        self.assertTrue(until(lambda: (self.queue_of(program) or {}).get("completed", 0) > 3))
        self.exact(program)

    def test_validation_behind_the_layer_is_silent(self):
        checked = {"VK_INSTANCE_LAYERS": VALIDATION}
        for words in (["exact", "300"], ["busy", "1", "5"]):
            self.exact(self.start(*words, more=checked))

    def test_a_forked_child_has_its_own_device(self):
        program = self.start("forked", "500")
        out, errors = program.communicate(timeout=LONGEST_S)
        self.assertEqual((program.returncode, errors), (0, ""), out)
        self.assertEqual([json.loads(line)["wrong"] for line in out.splitlines()], [0, 0])

    def test_an_urgent_program_holds_the_other_one(self):
        background = self.start("busy", "6", "10", hints=["-p", "-5"])
        self.assertTrue(until(lambda: self.queue_of(background)))
        urgent = self.start("busy", "2", "10", hints=["-p", "5"])
        held = until(lambda: (self.queue_of(background) or {}).get("suspended"), 10)
        self.assertTrue(held, "the background is never held")
        self.exact(urgent)
        self.exact(background)

    def test_results_are_exact_while_a_person_suspends_and_resumes(self):
        program = self.start("exact", "6000")
        self.assertTrue(until(lambda: self.queue_of(program)))
        while program.poll() is None and self.ask("suspend", str(program.pid)).returncode == 0:
            time.sleep(0.03)
            self.ask("resume", str(program.pid))
        self.exact(program)

    def test_a_suspended_program_completes_nothing(self):
        program = self.start("busy", "4", "5")
        self.assertTrue(until(lambda: (self.queue_of(program) or {}).get("completed", 0) > 3))
        self.ask("suspend", str(program.pid))
        time.sleep(0.5)  # for what was in flight
        before = self.queue_of(program)["completed"]
        time.sleep(0.5)
        self.assertEqual(self.queue_of(program)["completed"], before)
        self.ask("resume", str(program.pid))
        self.assertGreater(self.exact(program)["commands"], before)

    def test_a_program_goes_on_when_the_server_is_killed(self):
        program = self.start("exact", "6000")
        self.assertTrue(until(lambda: self.queue_of(program)))
        self.ask("suspend", str(program.pid))
        os.kill(json.loads(self.ask("server", "--json").stdout)["pid"], signal.SIGKILL)
        # The server was killed: its successor must still know that a person suspended the program, and resume it.
        self.assertTrue(until(lambda: self.ask("resume", str(program.pid)).returncode == 0))
        out, _ = program.communicate(timeout=LONGEST_S)
        self.assertEqual(json.loads(out)["wrong"], 0, out)


def main():
    global BUILD
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    known, rest = parser.parse_known_args()
    BUILD = known.build.resolve()
    alone = subprocess.run([BUILD / "bench/vulkan/vulkan_load", "exact", "10"], capture_output=True, text=True,
                           timeout=LONGEST_S, check=False)
    if alone.returncode != 0:
        print(f"skipped: no Vulkan driver answers ({alone.stderr.strip()}); scripts/install_deps.sh test has lavapipe")
        return SKIPPED
    return unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() is False


if __name__ == "__main__":
    sys.exit(main())
