"""Programs that stay (bench/cuda/pytorch/resident.py): for each way to share the device and each place in it one, which
is one program of a workload after the other. Without a start of Python, PyTorch and the device before each measurement,
many workloads fit into minutes."""
import contextlib
import json
import os
import select
import signal
import subprocess
import time

from . import requests
from .programs import KILL_SECONDS, ProgramFailed

START_SECONDS = 120  # many of them load at once
PAUSE_SECONDS = 0.005
LONG_SECONDS = 10    # to do anything but measure: worth a line


class Resident:
    def __init__(self, session, way, role, place):
        self.name = f"{way.name} {role}{place}"
        self.out = session.folder / self.name.replace(" ", "_")
        self.log = self.out.with_suffix(".log")
        with open(self.log, "a") as errors:
            self.process = subprocess.Popen([*way.prefix(role), requests.PYTORCH / "resident.py"], stderr=errors,
                                            env=session.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            start_new_session=True)
        self.said, self.is_ready, self.has, self.doing = b"", False, None, ""

    @property
    def alive(self):
        return self.process.poll() is None

    def line(self):
        """The next line that it has said; None: there is none yet."""
        pipe = self.process.stdout.fileno()
        if b"\n" not in self.said and select.select([pipe], [], [], 0)[0]:
            self.said += os.read(pipe, 4096)
        line, end, rest = self.said.partition(b"\n")
        if not end:
            return None
        self.said = rest
        return line

    def wait_line(self, progress, seconds):
        deadline = time.monotonic() + seconds
        while (line := self.line()) is None:
            if not self.alive or time.monotonic() > deadline:
                state = f"ended with status {self.process.poll()}" if not self.alive else f"took over {seconds:.0f} s"
                self.fail(state)
            progress.wait(PAUSE_SECONDS)
        return line

    def fail(self, why):
        self.kill()
        raise ProgramFailed(f"{self.name}, told to {self.doing or 'start'}: {why}\n{self.last_words()}")

    def last_words(self):
        """Returns where a program hangs: the dump's beginning, which is the innermost call."""
        said = self.log.read_text(errors="replace")
        dump = said.rfind("Timeout (")
        return said[dump:dump + 3000] if dump >= 0 else said[-1500:]

    def wait_ready(self, progress):
        while not self.is_ready:
            self.is_ready = self.wait_line(progress, START_SECONDS).strip() == b"ready"

    def say(self, do, **words):
        self.doing = do
        try:
            self.process.stdin.write(json.dumps({"do": do, **words}).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.fail("is gone")

    def answer(self, progress, seconds):
        said = json.loads(self.wait_line(progress, seconds))
        if "error" in said:
            self.fail(said["error"])
        if self.doing != "work" and said["seconds"] > LONG_SECONDS:
            progress.say(f"{self.name}: {said['seconds']:.0f} s to {self.doing} {self.has or ''}")
        return said

    def rows(self):
        return [[int(number) for number in line.split()] for line in self.out.read_text().splitlines()]

    def end(self):
        """Without waiting for it."""
        if self.alive:
            os.killpg(self.process.pid, signal.SIGKILL)

    def kill(self):
        if self.alive:
            self.end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(KILL_SECONDS)
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


class House:
    """All of them, and what they found alone, which holds for every variant with the same programs."""

    def __init__(self, session, progress):
        self.session, self.progress = session, progress
        self.residents, self.alone, self.service_s = {}, {}, {}

    def resident(self, way, role, place):
        key = (way.name, role, place)
        if key not in self.residents or not self.residents[key].alive:
            self.residents[key] = Resident(self.session, way, role, place)
            self.session.started.append(self.residents[key])
        return self.residents[key]

    def ask(self, asked, seconds):
        """`asked`: [(resident, do, words)], at the same time. Raises the first failure once all have answered."""
        failures = []
        for step in (lambda one: one[0].wait_ready(self.progress), lambda one: one[0].say(one[1], **one[2]),
                     lambda one: one[0].answer(self.progress, seconds)):
            for one in asked:
                try:
                    if one[0].alive:
                        step(one)
                    else:
                        one[0].fail(f"it ended with status {one[0].process.poll()}")
                except ProgramFailed as failure:
                    failures.append(str(failure))
        if failures:
            raise ProgramFailed(failures[0])

    def build(self, wanted):
        """`wanted`: [(resident, program, options)]. Programs that have it already keep it."""
        asked = []
        for resident, program, options in wanted:
            if resident.has != program.model_key:
                resident.has = program.model_key
                asked.append((resident, "build", options))
        self.ask(asked, START_SECONDS)

    def end(self):
        """All at once: a driver takes its time with each."""
        for resident in self.residents.values():
            resident.end()

    def drop(self, residents):
        asked = [(resident, "rest", {"drop": 1}) for resident in residents if resident.alive and resident.has]
        for resident, _, _ in asked:
            resident.has = None
        self.ask(asked, START_SECONDS)
