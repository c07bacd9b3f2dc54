"""Ordinary programs under `xcli run`, with a server of their own: what the tests of several platforms share."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

LONGEST_S = 120  # for a program on a busy machine


def until(found, patience_s=LONGEST_S):
    """The first value of `found` that counts as true; the last one if time runs out."""
    end = time.monotonic() + patience_s
    while not (value := found()) and time.monotonic() < end:
        time.sleep(0.05)
    return value


class ScheduledPrograms(unittest.TestCase):
    """The tests that hold on each platform; a test's class derives from this one. The platform's program prints JSON at
    its end: how many commands it gave, and how many results are wrong."""
    build = None    # the build's folder
    program = None  # below it
    exact = ()      # the program's words for results that are compared, over some seconds
    busy = ()       # for about four seconds of commands

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.environment = self.environment_of({name: value for name, value in os.environ.items()
                                                if not name.startswith(("XSCHED_", "XLOG_"))})
        self.environment["XSCHED_SOCKET"] = str(self.folder / "x.sock")
        self.server = subprocess.Popen([self.build / "bin/xserver", "--socket", self.environment["XSCHED_SOCKET"]],
                                       env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end_server)
        self.assertTrue(until(lambda: self.ask("server").returncode == 0), "the server does not answer")

    def environment_of(self, inherited):
        """The environment of programs and server, from what this process has."""
        return inherited

    def end_server(self):
        self.server.terminate()
        self.server.wait(LONGEST_S)

    def ask(self, *words):
        return subprocess.run([self.build / "bin/xcli", *words], env=self.environment, capture_output=True, text=True,
                              timeout=LONGEST_S, check=False)

    def start(self, *words, hints=(), more=None, scheduled=True):
        """`more`: variables of the environment for this program alone."""
        under = [self.build / "bin/xcli", "run", *hints, "--"] if scheduled else []
        program = subprocess.Popen([*under, self.build / self.program, *words], env=self.environment | (more or {}),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
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

    def test_results_are_exact_while_a_person_suspends_and_resumes(self):
        program = self.start(*self.exact)
        self.assertTrue(until(lambda: self.queue_of(program)))
        while program.poll() is None and self.ask("suspend", str(program.pid)).returncode == 0:
            time.sleep(0.03)
            self.ask("resume", str(program.pid))
        self.result(program)

    def test_a_suspended_program_completes_nothing(self):
        program = self.start(*self.busy)
        self.assertTrue(until(lambda: self.completed(program) > 3))
        self.ask("suspend", str(program.pid))
        time.sleep(0.5)  # for what was in flight
        before = self.completed(program)
        time.sleep(0.5)
        self.assertEqual(self.completed(program), before)
        self.ask("resume", str(program.pid))
        self.assertGreater(self.result(program)["commands"], before)

    def test_a_program_goes_on_when_the_server_is_killed(self):
        program = self.start(*self.exact)
        self.assertTrue(until(lambda: self.queue_of(program)))
        self.ask("suspend", str(program.pid))
        os.kill(json.loads(self.ask("server", "--json").stdout)["pid"], signal.SIGKILL)
        # The server was killed: its successor must still know that a person suspended the program, and resume it.
        self.assertTrue(until(lambda: self.ask("resume", str(program.pid)).returncode == 0))
        out, _ = program.communicate(timeout=LONGEST_S)
        self.assertEqual(json.loads(out)["wrong"], 0, out)

    def an_urgent_program_holds(self, background, urgent):
        """`background`, `urgent`: the words of two programs."""
        held = self.start(*background, hints=["-p", "-5"])
        self.assertTrue(until(lambda: self.completed(held)))
        rival = self.start(*urgent, hints=["-p", "5"])
        self.assertTrue(until(lambda: (self.queue_of(held) or {}).get("suspended"), 10), "it is never held")
        self.result(rival)
        self.result(held)


class StandInPrograms(ScheduledPrograms):
    """The tests of a platform whose program runs on a stand-in for the driver. Two processes share its device."""
    platform = ""  # as xcli list names it
    fake = ""      # how variables of the stand-in's begin, such as FAKE_CUDA_
    exact = ("exact", "400000")
    busy = ("busy", "4", "2000")

    @property
    def program(self):
        return f"bin/{self.platform}_program"

    def environment_of(self, inherited):
        others = {name: value for name, value in inherited.items() if not name.startswith("FAKE_")}
        return others | {f"XSCHED_{self.platform.upper()}_LIB": str(self.build / f"lib/libfake{self.platform}.so"),
                         f"{self.fake}SHARED": str(self.folder / "device")}

    def test_a_program_has_a_queue_of_the_device_and_counts_its_commands(self):
        program = self.start("busy", "3", "2000")
        self.assertTrue(until(lambda: self.completed(program) > 3), "no command is ever complete")
        self.assertEqual(self.queue_of(program)["platform"], self.platform)
        self.result(program)

    def test_an_urgent_program_holds_the_other_one(self):
        self.an_urgent_program_holds(("busy", "6", "2000"), ("busy", "2", "2000"))
