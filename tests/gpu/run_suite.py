#!/usr/bin/python3
"""Runs torch_suite.py natively, twice, to know which results PyTorch itself repeats. Runs it under XSched with its
queues suspended and resumed at random. Runs it beside bursts of a more urgent program, and as the urgent one beside a
program of long kernels (with a keep-alive: queue/alive/keep_alive.h); compares every result bit for bit. Exit status 1
if one differs or fails, 77 if nothing can be compared here."""
import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bench"))
from lib import backend as backends  # noqa: E402
from lib import programs, report  # noqa: E402
from lib.progress import Progress  # noqa: E402

RUN_SECONDS = 240
STANDS_SECONDS = 40  # without a case's end: longer than any takes
BUSY_KERNEL_MS = 3
RUNS = {"native": None, "native again": None, "disturbed": [], "beside an urgent program": [],
        "the urgent one": ["--priority", "10"]}  # with these options of xcli run
NOT_HERE = 77
SAME, DIFFERENT, FAILED, UNKNOWN = "same", "DIFFERENT", "FAILED", "not deterministic natively"


class Suite:
    def __init__(self, session, options, progress):
        self.session, self.options, self.progress = session, options, progress
        self.reports, self.notes = {}, []

    def start(self, name):
        path = self.session.folder / f"{name.replace(' ', '-')}.report"
        arguments = {"report": path, "modes": self.options.modes, "cases": self.options.cases}
        if name == "disturbed":
            arguments |= {"disturb": self.options.seed, "libraries": self.session.build / "lib"}
        return path, self.session.start("torch_suite.py", arguments,
                                        () if RUNS[name] is None else self.session.under_xsched(*RUNS[name]),
                                        {"TORCHINDUCTOR_CACHE_DIR": str(self.session.folder / "inductor"),
                                         "TRITON_CACHE_DIR": str(self.session.folder / "triton")}, HERE)

    def watch(self, name, path, program, seconds):
        """Until the program ends, at most so long. The program's and the scheduler's activity while no case ends is
        noted, once."""
        end, size, since = time.monotonic() + seconds, -1, time.monotonic()
        while program.process.poll() is None and time.monotonic() < end:
            now = path.stat().st_size if path.exists() else 0
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > STANDS_SECONDS:
                self.notes.append(f"{name} stands still:\n{programs.threads_of(program.process.pid)}\n"
                                  f"{self.session.xcli('status')}\n{self.session.xcli('list')}")
                since = end
            self.progress.wait(0.5)

    def finish(self, name, path, program):
        seconds = min(RUN_SECONDS, self.options.deadline - time.monotonic())
        try:
            self.watch(name, path, program, seconds)
            program.finish(self.progress, 1 - programs.START_SECONDS)
        except (programs.ProgramFailed, OSError) as error:
            self.notes.append(f"{name}: {error}")
            program.kill()
        lines = path.read_text().splitlines() if path.exists() else []
        self.reports[name] = {line.split(" ", 1)[0]: line.split(" ", 1)[1] for line in lines}

    def start_urgent(self):
        return self.session.start("hp", {"kernel-ms": 0.05, "burst-kernels": 40, "sync-every": 10, "pause-ms": 2,
                                         "pause-max-ms": 6, "seconds": RUN_SECONDS},
                                  self.session.under_xsched("--priority", "10"))

    def start_busy(self):
        return self.session.start("lp", {"steps": self.session.calibrate(BUSY_KERNEL_MS, 1), "depth": 64,
                                         "seconds": RUN_SECONDS}, self.session.under_xsched())

    def run_beside(self, start_other, name):
        other = start_other()
        self.run([name])
        if other.process.poll() not in (None, 0):
            self.notes.append(f"the program beside it: {other.complaint()}")
        other.kill()

    def run(self, names):
        """Several at once."""
        for name in names:
            self.progress.doing(name)
        for name, (path, program) in [(name, self.start(name)) for name in names]:
            self.finish(name, path, program)

    def run_all(self):
        if "compile" in self.options.modes:  # the first one compiles for the others
            self.run(["native"]), self.run(["native again"])
        else:
            self.run(["native", "native again"])
        self.run(["disturbed"])
        self.run_beside(self.start_urgent, "beside an urgent program")
        self.run_beside(self.start_busy, "the urgent one")

    def verdict(self, case, name):
        native, again, found = (self.reports[run].get(case) for run in ("native", "native again", name))
        if native is None or native.startswith("failed"):
            return f"fails natively: {native}"
        if found is None or found.startswith("failed"):
            return f"{FAILED}: {found or 'did not get so far'}"
        number = native.split()[0]
        if found.split()[0] == number:
            return SAME
        return DIFFERENT if again is not None and again.split()[0] == number else UNKNOWN


def publish(suite, options, backend):
    scheduled = list(RUNS)[2:]
    cases = [case for case in suite.reports["native"] if case != "disturbance"]
    verdicts = {case: {name: suite.verdict(case, name) for name in scheduled} for case in cases}
    rows = [("case", *scheduled)] + [(case, *(text[:60] for text in verdicts[case].values())) for case in cases]
    bad = [case for case in cases if any(text.startswith((DIFFERENT, FAILED)) for text in verdicts[case].values())]
    equal = [case for case in cases if all(text == SAME for text in verdicts[case].values())]
    disturbance = suite.reports["disturbed"].get("disturbance", "none")
    passed = bool(equal) and not bad and not disturbance.startswith(("0 ", "none"))
    print(f"\n{backend.device}, driver {backend.driver}, XSched {report.version()}\n\n{report.table(rows)}\n")
    print(f"{len(equal)} of {len(cases)} the same everywhere, {len(bad)} different or failed; disturbance: "
          f"{disturbance}")
    for case in bad:
        print(f"{case}: {verdicts[case]}"[:600])
    for note in suite.notes:
        print(f"note: {note[-3000:]}")
    metrics = {"cases": {case: {**verdicts[case], "native": suite.reports["native"][case]} for case in cases},
               "same": len(equal), "failed": bad, "disturbance": disturbance, "notes": suite.notes}
    print(report.write_result(options.results, options.name, "PyTorch suite: results under XSched, bit for bit",
                              backend, passed, metrics, f"modes {options.modes}"))
    return passed


def has_torch():
    return subprocess.run(["python3", "-c", "import torch, sys; sys.exit(not torch.cuda.is_available())"],
                          stderr=subprocess.DEVNULL).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, default=report.ROOT / "bench" / "results")
    parser.add_argument("--name", default="torch_suite", help="of the result file")
    parser.add_argument("--modes", default="eager,graph,autocast,streams,nccl", help="also: compile")
    parser.add_argument("--cases", default="", help="only those with one of these words in their names")
    parser.add_argument("--seed", type=int, default=os.getpid(), help="of the disturbance")
    parser.add_argument("--budget", type=float, default=1000, help="seconds after which runs are ended")
    options = parser.parse_args()
    options.deadline = time.monotonic() + options.budget
    if not has_torch():
        print("skipped: there is no python3 with a PyTorch that finds a GPU")
        return NOT_HERE
    print(f"seed {options.seed}")
    try:
        with programs.Session(options.build) as session:
            backend = backends.choose(session.build, session.environment, ["cuda"])
            session.programs = backend.programs
            suite = Suite(session, options, Progress(options.budget))
            suite.run_all()
            suite.progress.done()
            return 0 if publish(suite, options, backend) else 1
    except (LookupError, OSError) as error:
        print(f"skipped: {error}")
        return NOT_HERE


if __name__ == "__main__":
    sys.exit(main())
