#!/usr/bin/env python3
"""Users' reports of wrappers like this one (docs/compatibility.md says where): each case is a small program,
which must behave as natively under XSched: same output and exit status, no warning.

  cases_test.py --build DIR --programs DIR --fake LIBRARY --names FILE [unittest's arguments]
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests" / "guest" / "matrix"), str(ROOT / "tests" / "support")]
import trial  # noqa: E402
from run import SKIPPED, Tools  # noqa: E402
from script import eventually, run_tests  # noqa: E402

GIVEN = argparse.Namespace()  # the command line
PATIENCE_S = 120              # safety: a program that takes longer is ended, and differs
SCHEDULED = re.compile(r"using (global|local) scheduler")
URGENT, VICTIM, OTHER = 10, 0, 7  # priorities
EVERY_WAY = ("xcli run", "preload", "urgent", "victim")
ALONE = EVERY_WAY[:2]
AT_ONCE = 25


@dataclass(frozen=True)
class Case:
    words: str                # the program and its arguments
    ways: tuple = EVERY_WAY
    waits: bool = False       # while it waits it has `queues` queues at the server, of its own priority
    queues: int = 1
    connects: int = 1         # to the server, at least, until it waits no more; with warnings if it is more than once
    on: tuple = ("pocl",)     # drivers
    unseen: bool = False      # by the preload alone: it finds libOpenCL before the shim


CASES = (
    Case("events chain"),
    Case("events completed"),
    *(Case(f"ends {form}") for form in ("early", "late", "destructor", "thread", "leak", "quick", "main", "abort")),
    Case("zeros", ALONE, on=("pocl", "fake")),
    Case("processes exec", waits=True),
    Case("processes prepends", ALONE, waits=True),
    Case("processes touched"),
    Case("processes workers"),
    Case("processes children", waits=True),
    Case("resources closed", waits=True, connects=2),
    Case("resources stacks"),
    Case("resources threads", ALONE, on=("fake",)),  # natively PoCL 3.1 fails
    Case("resources faults", ALONE),
    Case("resources user", ALONE, waits=True, queues=2),
    Case("resources files", ALONE, waits=True, queues=2),
    Case("resources root", ALONE, waits=True, queues=2),
    Case("host local {plugin}"),
    Case("host deep {plugin}", ALONE, unseen=True),
)


@dataclass
class Ended:
    status: int
    out: list
    errors: list  # of the program itself
    log: list     # XSched's
    seen: bool    # by `look`, while it waited


def command(case):
    program, *arguments = case.words.format(plugin=GIVEN.programs / "case_plugin.so").split()
    return [str(GIVEN.programs / f"case_{program}"), *arguments]


class Programs:
    """Runs the cases with one kernel cache, in which PoCL finds what it has compiled."""

    def __init__(self, folder):
        self.folder = Path(folder)
        names = re.findall(r"\bcl[A-Z]\w+", GIVEN.names.read_text())
        self.names = self.folder / "names"
        self.names.write_text("\n".join(names) + "\n")
        self.natives = {}

    def environment(self, driver="pocl"):
        more = {"OCL_ICD_VENDORS": str(GIVEN.fake)} if driver == "fake" else {}
        return trial.bare_environment() | more | {
            "POCL_CACHE_DIR": str(self.folder), "XLOG_LEVEL": "INFO", "TMPDIR": str(self.folder), "LC_ALL": "C.UTF-8"}

    def run(self, words, environment, look=lambda pid, text: True):
        """Runs it to its end. While it waits, `look` is called with its process number and what tells its standard
        error so far."""
        with tempfile.TemporaryFile("w+", dir=self.folder, errors="replace") as errors, \
                open(self.names, encoding="utf-8") as names:
            reads = names if "zeros" in words[-1] else subprocess.PIPE
            process = subprocess.Popen(words, env=environment, cwd=self.folder, text=True, stdin=reads,
                                       stdout=subprocess.PIPE, stderr=errors, start_new_session=True)
            late = threading.Timer(PATIENCE_S, lambda: os.killpg(process.pid, signal.SIGKILL))
            late.start()
            out, seen = [], True
            for line in process.stdout:
                out.append(line.rstrip("\n"))
                if line == "waits\n":
                    seen = look(process.pid, lambda: os.pread(errors.fileno(), 1 << 20, 0).decode(errors="replace"))
                    process.stdin.close()
            status = process.wait()
            late.cancel()
            process.stdout.close()
            if process.stdin:
                process.stdin.close()
            errors.seek(0)
            lines = errors.read().splitlines()
        return Ended(status, out, [line for line in lines if not trial.LOG_LINE.match(line)],
                     [line for line in lines if trial.LOG_LINE.match(line)], seen)

    def natively(self, case, driver):
        if not self.natives:  # the first one compiles
            self.run(command(CASES[0]), self.environment())
        key = case.words, driver
        if key not in self.natives:
            self.natives[key] = self.run(command(case), self.environment(driver))
        return self.natives[key]


class Cases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="xsched-cases-")
        cls.addClassCleanup(cls.folder.cleanup)
        os.chmod(cls.folder.name, 0o777)  # a case becomes another user
        cls.programs = Programs(cls.folder.name)
        cls.tools = Tools(GIVEN.build, Path(cls.folder.name), Path("/nowhere"))

    def compare(self, way, before, more, look=None):
        """Each case of this way, natively and so."""
        for case in CASES:
            for driver in case.on if way in case.ways else ():
                with self.subTest(way=way, case=case.words, driver=driver):
                    native = self.programs.natively(case, driver)
                    if native.status == SKIPPED:
                        continue
                    ended = self.programs.run([*before, *command(case)], self.programs.environment(driver) | more,
                                              (lambda pid, text, case=case: look(pid, text, case)) if look else
                                              lambda pid, text: True)
                    self.judge(case, native, ended, way == "preload" and case.unseen)

    def judge(self, case, native, ended, unseen):
        told = "\n".join([*ended.out, *ended.errors, *ended.log][-30:])
        self.assertEqual((ended.status, ended.out, ended.errors), (native.status, native.out, native.errors), told)
        scheduled = any(SCHEDULED.search(line) for line in ended.log)
        self.assertNotEqual(scheduled, unseen, f"whether XSched saw it:\n{told}")
        self.assertTrue(ended.seen, f"the server lists something else:\n{told}")
        odd = [line for line in ended.log if re.match(r"\[(WARN|ERRO)", line)
               and case.connects == 1]
        self.assertEqual(odd, [])

    def under(self, server, way, priority):
        def listed(pid, text, case):
            def right():
                if len(SCHEDULED.findall(text())) < case.connects:
                    return False
                found = [queue["priority"] for queue in server.asked("list")["queues"] if queue["pid"] == pid]
                return found == [priority] * case.queues
            return eventually(right, trial.OURS_S)
        self.compare(way, [server.xcli, "run", "--priority", str(priority), "--"], {"XSCHED_SOCKET": server.socket},
                     listed)
        left = eventually(lambda: self.is_left(server), trial.OURS_S)
        self.assertTrue(left, f"queues are left: {server.asked('list')}")

    @staticmethod
    def is_left(server):
        """By all of ours; a neighbour has one queue."""
        return len(server.asked("list")["queues"]) <= 1

    def server(self):
        return self.enterContext(trial.Server(GIVEN.build))

    def test_xcli_run(self):
        self.under(self.server(), "xcli run", OTHER)

    def test_preload(self):
        shim = GIVEN.build / "lib" / "libshimopencl.so"
        self.compare("preload", [], {"LD_PRELOAD": str(shim), "XSCHED_SCHEDULER": "local"})

    def beside(self, way, manner, its_priority, priority):
        server = self.server()
        with trial.Neighbour(server, self.tools.neighbour("opencl"), manner, its_priority) as neighbour:
            self.under(server, way, priority)
            self.assertEqual(neighbour.ends_well(), [])

    def test_urgent(self):
        self.beside("urgent", "busy", VICTIM, URGENT)

    def test_victim(self):
        self.beside("victim", "urgent", URGENT, VICTIM)


class FirstPrograms(unittest.TestCase):
    """Where no server is, and the first one starts it."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xsched-cases-")))
        self.programs = Programs(self.folder)
        self.environment = self.programs.environment("fake") | {
            "XDG_RUNTIME_DIR": str(self.folder), "HOME": str(self.folder)}
        self.xcli = str(GIVEN.build / "bin" / "xcli")
        self.addCleanup(self.end_server)

    def server_number(self):
        """The number of the server here. Where none is, xcli may find one of another test of this user."""
        done = subprocess.run([self.xcli, "server", "--json"], env=self.environment, text=True, capture_output=True,
                              check=False, timeout=trial.OURS_S)
        found = json.loads(done.stdout) if done.returncode == 0 else {}
        return found["pid"] if found.get("socket", "").startswith(f"{self.folder}/") else None

    def end_server(self):
        number = self.server_number()
        if number is not None:
            os.kill(number, signal.SIGTERM)
            self.assertTrue(eventually(lambda: self.server_number() is None, trial.OURS_S))

    def test_many_at_once_share_one_server(self):
        words = [str(GIVEN.programs / "case_resources"), "stacks"]
        native = self.programs.run(words, self.environment)
        ended = [None] * AT_ONCE

        def start(place):
            ended[place] = self.programs.run([self.xcli, "run", "--", *words], self.environment)
        threads = [threading.Thread(target=start, args=(place,)) for place in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        servers = {match[1] for one in ended for line in one.log if (match := re.search(r"\(xserver (\d+) at", line))}
        self.assertEqual([(one.status, one.out, one.errors) for one in ended],
                         [(native.status, native.out, native.errors)] * AT_ONCE)
        self.assertEqual([line for one in ended for line in one.log if re.match(r"\[(WARN|ERRO)", line)], [])
        self.assertEqual(servers, {str(self.server_number())})

    def test_the_program_that_starts_it_has_no_child(self):
        words = [str(GIVEN.programs / "case_processes"), "children"]
        native = self.programs.run(words, self.environment)
        shim = GIVEN.build / "lib" / "libshimopencl.so"
        ended = self.programs.run(words, self.environment | {"LD_PRELOAD": str(shim)},
                                  lambda pid, text: eventually(lambda: self.server_number() is not None, trial.OURS_S))
        self.assertEqual((ended.status, ended.out, ended.seen), (native.status, native.out, True), ended.log)


class Page(unittest.TestCase):
    def test_the_page_has_each_case_and_no_other(self):
        text = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
        table = text.partition("<!-- reports -->")[2].partition("<!-- end of the reports -->")[0]
        named = set(re.findall(r"`cases`: (\w+(?: \w+)?)", table))
        for more in re.findall(r"`cases`: ((?:\w+ \w+, )+\w+ \w+)", table):
            named |= set(more.split(", "))
        self.assertEqual(named, {" ".join(case.words.split()[:2]) for case in CASES} | {"FirstPrograms"})


if __name__ == "__main__":
    run_tests(GIVEN, "build", "programs", "fake", "names")
