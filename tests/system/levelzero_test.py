#!/usr/bin/env python3
"""Ordinary Level Zero programs under `xcli run`, on the stand-in for the loader and the driver. Two programs share its
device, by turns of a command each.

    levelzero_test.py --build DIR
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


def until(found, patience_s=LONGEST_S):
    """The first value of `found` that counts as true; the last one if time runs out."""
    end = time.monotonic() + patience_s
    while not (value := found()) and time.monotonic() < end:
        time.sleep(0.05)
    return value


class LevelZero(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("XSCHED_", "XLOG_", "FAKE_ZE_"))}
        self.environment |= {"XSCHED_SOCKET": str(self.folder / "x.sock"),
                             "XSCHED_LEVELZERO_LIB": str(BUILD / "lib/libfakelevelzero.so"),
                             "FAKE_ZE_SHARED": str(self.folder / "device")}
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

    def start(self, *words, hints=(), scheduled=True):
        command = [BUILD / "bin/levelzero_program", *words]
        if scheduled:
            command = [BUILD / "bin/xcli", "run", *hints, "--", *command]
        program = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        return program

    def result(self, program):
        out, errors = program.communicate(timeout=LONGEST_S)
        self.assertEqual((program.returncode, errors), (0, ""), out)
        self.assertEqual(json.loads(out)["wrong"], 0, out)
        return json.loads(out)

    def queue_of(self, program):
        done = self.ask("list", "--json")
        queues = json.loads(done.stdout)["queues"] if done.returncode == 0 else []
        return next((queue for queue in queues if queue["pid"] == program.pid), None)

    def completed(self, program):
        return (self.queue_of(program) or {}).get("completed", 0)

    def test_a_program_has_a_queue_of_the_device_and_counts_its_commands(self):
        program = self.start("busy", "3", "2000")
        self.assertTrue(until(lambda: self.completed(program) > 3), "no command is ever complete")
        self.assertEqual(self.queue_of(program)["platform"], "levelzero")
        self.result(program)

    def test_an_urgent_program_is_quicker_than_without_xsched(self):
        def p50_ms(scheduled):
            background = self.start("busy", "6", "3000", hints=["-p", "-5"], scheduled=scheduled)
            time.sleep(1)
            urgent = self.start("urgent", "60", "500", "20", hints=["-p", "5"], scheduled=scheduled)
            measured = self.result(urgent)["p50_ms"]
            self.result(background)
            return measured
        native, ours = p50_ms(False), p50_ms(True)
        print(f"p50 of a burst beside a busy program: {native} ms without XSched, {ours} ms with it")
        self.assertLess(ours, native * 0.75)

    def test_an_urgent_program_holds_the_other_one(self):
        background = self.start("busy", "6", "2000", hints=["-p", "-5"])
        self.assertTrue(until(lambda: self.completed(background)))
        urgent = self.start("busy", "2", "2000", hints=["-p", "5"])
        self.assertTrue(until(lambda: (self.queue_of(background) or {}).get("suspended"), 10), "it is never held")
        self.result(urgent)
        self.result(background)

    def test_results_are_exact_while_a_person_suspends_and_resumes(self):
        program = self.start("exact", "60000")
        self.assertTrue(until(lambda: self.queue_of(program)))
        while program.poll() is None and self.ask("suspend", str(program.pid)).returncode == 0:
            time.sleep(0.03)
            self.ask("resume", str(program.pid))
        self.result(program)

    def test_a_suspended_program_completes_nothing(self):
        program = self.start("busy", "4", "2000")
        self.assertTrue(until(lambda: self.completed(program) > 3))
        self.ask("suspend", str(program.pid))
        time.sleep(0.5)  # for what was in flight
        before = self.completed(program)
        time.sleep(0.5)
        self.assertEqual(self.completed(program), before)
        self.ask("resume", str(program.pid))
        self.assertGreater(self.result(program)["commands"], before)

    def test_a_program_goes_on_when_the_server_is_killed(self):
        program = self.start("exact", "60000")
        self.assertTrue(until(lambda: self.queue_of(program)))
        self.ask("suspend", str(program.pid))
        os.kill(json.loads(self.ask("server", "--json").stdout)["pid"], signal.SIGKILL)
        # The server was killed: its successor must still know that a person suspended the program, and resume it.
        self.assertTrue(until(lambda: self.ask("resume", str(program.pid)).returncode == 0))
        out, _ = program.communicate(timeout=LONGEST_S)
        self.assertEqual(json.loads(out)["wrong"], 0, out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=Path)
    arguments, rest = parser.parse_known_args()
    BUILD = arguments.build.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
