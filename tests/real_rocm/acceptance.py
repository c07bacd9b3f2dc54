"""The test plan of the requirements, on a version's runtime. Its runner takes the emulated driver for an AMD
GPU, which the results call an emulated one. Limits of time are not judged: the emulator decides the times."""
import json
import shutil

import programs
from demands import Skipped, demand, ended_well
from documents import for_every_program
from room import Room

EXACT = ["1.3"]  # judged by results alone: passed
TIMED = ["1.2", "2.1", "3.1"]  # something must have run and been measured
SECONDS_EACH = 1  # of a measurement
LIMIT_SECONDS = 600  # 1.3 and 2.1 took 157 s at most, 3.1 has a limit of some 150 s, 1.2 took 24 s at a load of 20
WITHOUT_HISTORY = {"XSCHED_BENCH_VERSION": "the tree of make real-rocm"}  # there is no git in the root


def wrong_in_test(name, file):
    """A sentence, or nothing."""
    if not file.exists():
        return f"{name} has no result"
    found = json.loads(file.read_text())
    wanted = ("PASS",) if name in EXACT else ("PASS", "FAIL", "SKIP")  # SKIP: no verdict on a busy machine
    if found["status"] not in wanted or not found["metrics"]:
        return f"{name} is {found['status']}: {found['notes']}"
    if not all(found["metrics"].get("log_shows_scheduler", {}).values()):
        return f"{name} ran without a scheduler: {found['notes']}"
    emulated = "emulated" in found["hardware"]
    return "" if emulated else f"{name} does not say that the GPU is emulated: {found['hardware']}"


class Acceptance:
    """That check of class Checks."""

    def acceptance(self):
        if not self.room.build.is_relative_to(programs.TOP):
            raise Skipped(f"{self.room.build} is not within {programs.TOP}, which the programs see")
        results = self.root / "acceptance"
        shutil.rmtree(results, ignore_errors=True)
        results.mkdir()
        tests = EXACT + TIMED
        there = Room(self.root, programs.TOP, self.room.emulator)
        with for_every_program(self.root, self.room.emulator):
            plan = programs.TOP / "tests/acceptance/run.py"
            words = ["python3", "-B", plan, "--platform", "hip", "--test", "--build", self.room.build, "--results",
                     f"/{results.name}", "--seconds", SECONDS_EACH, *tests]
            ended = there.run(words, LIMIT_SECONDS, LD_PRELOAD=None, PATH="/usr/bin", **WITHOUT_HISTORY)
        ended_well(ended, "the plan")
        wrong = [wrong_in_test(name, results / f"acceptance_{name}.json") for name in tests]
        demand(not any(wrong), "; ".join(filter(None, wrong)))
        return f"{', '.join(EXACT)} passed; {', '.join(TIMED)} ran: their times are the emulator's"
