#!/usr/bin/env python3
"""Faults in a pool on a GPU (docs/POOL.md): programs of a pool (xcli run --pool) and one outside of it work. Then one
of the pool's fails, or is killed, or the MPS server is. Records what MPS says and when, what the neighbours see, what
XSched says and does, and whether the program outside notices.

    bench/cuda/pool_faults.py --build DIR --results DIR [--kinds address,assertion,torch,killed,server]

DIR/pool_faults.json gets all of it, DIR/pool_faults.log what the service's daemon and the MPS server wrote. Times are
seconds after the fault. A failed assertion ends its own program alone, all else the pool. Exit status 1: a neighbour
hung, was not begun again or did not go on, or the program outside stood still.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib import mps, programs, report  # noqa: E402

KINDS = {"address": "address", "assertion": "assertion", "torch": "torch", "killed": "long", "server": None}
SPARES_NEIGHBOURS = {"assertion", "torch"}  # seen with driver 580
GRACE_S, RESTARTS = 3, 1
START_S, WATCH_S, AFTER_S, ASK_EVERY_S = 40, 20, 1.5, 0.05
STILL_S = 0.25   # the program outside takes turns with the pool: a round may take tens of milliseconds


class Member:
    """A program under xcli run, with the lines of both as they come."""

    def __init__(self, session, name, options, words):
        command = [session.build / "bin" / "xcli", "run", *options, "--", sys.executable,
                   Path(__file__).parent / "pool" / "member.py", *words]
        self.name, self.lines, self.ended = name, [], None
        self.process = subprocess.Popen([str(word) for word in command], env=session.environment, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        start_new_session=True)
        self.readers = [threading.Thread(target=self.read, args=(kind, pipe), daemon=True)
                        for kind, pipe in (("out", self.process.stdout), ("err", self.process.stderr))]
        for reader in self.readers:
            reader.start()

    def read(self, kind, pipe):
        for line in pipe:
            self.lines.append((time.monotonic(), kind, line.rstrip("\n")))

    def poll(self):
        if self.ended is None and self.process.poll() is not None:
            self.ended = time.monotonic()
        return self.ended is not None

    def pids(self):
        return [int(line.split()[1]) for _, kind, line in list(self.lines) if kind == "out" and line.startswith("pid ")]

    def worked(self):
        """[(time, rounds, longest)]"""
        found = [line.split() for _, kind, line in list(self.lines) if kind == "out" and line.startswith("worked ")]
        return [(float(words[1]), int(words[2]), float(words[3])) for words in found if len(words) == 4]

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(programs.KILL_SECONDS)

    def json(self, fault):
        worked = self.worked()
        before, after = ([row for row in worked if (row[0] > fault) == later] for later in (False, True))
        said = [{"at": round(at - fault, 3), "by": "xcli or stderr" if kind == "err" else "program", "line": line}
                for at, kind, line in list(self.lines) if not line.startswith("worked ")]
        return {"pids": self.pids(), "said": said, "status": self.process.poll(),
                "ended_at": round(self.ended - fault, 3) if self.ended else None,
                "rounds_per_s": {"before": rate(before[1:]), "after": rate(after)},
                "longest_round_s": {"before": longest(before[1:]), "after": longest(after)},
                "last_worked_at": round(worked[-1][0] - fault, 3) if worked else None,
                "worked_again_at": again(worked, fault)}


def rate(rows):
    return round(sum(row[1] for row in rows[1:]) / (rows[-1][0] - rows[0][0])) if len(rows) > 2 else None


def longest(rows):
    return max((row[2] for row in rows), default=None)


def again(worked, fault):
    """Returns when it worked for the first time after the longest pause that began around the fault."""
    gaps = [(after[0] - before[0], after[0]) for before, after in zip(worked, worked[1:]) if after[0] > fault]
    return round(max(gaps)[1] - fault, 3) if gaps and max(gaps)[0] > STILL_S else None


class Service:
    """The pool's MPS as nvidia-cuda-mps-control shows it: every change of its answers."""

    def __init__(self, session):
        self.control = os.environ.get("BENCH_MPS_CONTROL") or mps.find_control()
        said = subprocess.run([session.build / "bin" / "xcli", "pool", "--json"], env=session.environment, text=True,
                              stdout=subprocess.PIPE, check=True).stdout
        self.folder = Path(json.loads(said)["folder"])
        self.environment = {**session.environment, "CUDA_MPS_PIPE_DIRECTORY": str(self.folder)}
        self.changes, self.last, self.ends = [], {}, threading.Event()

    def ask(self, question):
        try:
            asked = subprocess.run([self.control], env=self.environment, input=question + "\n", text=True, timeout=5,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            return asked.stdout.strip()
        except subprocess.TimeoutExpired:
            return "(no answer in 5 s)"

    def servers(self):
        return [int(word) for word in self.ask("get_server_list").split() if word.isdigit()]

    def note(self, question, answer):
        if self.last.get(question) != answer:
            self.last[question] = answer
            self.changes.append((time.monotonic(), question, answer))

    def watch(self):
        while not self.ends.wait(ASK_EVERY_S):
            listed = self.ask("get_server_list")
            self.note("get_server_list", listed)
            for word in listed.split():
                if word.isdigit():
                    for question in (f"get_server_status {word}", f"get_client_list {word}"):
                        self.note(question, self.ask(question))


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Case:
    def __init__(self, session, kind):
        self.session, self.kind, self.members = session, kind, {}
        self.go = session.folder / f"go_{kind}"

    def begin(self, name, options, words=()):
        self.members[name] = Member(self.session, name, options, words)

    def xcli(self, *words):
        return subprocess.run([self.session.build / "bin" / "xcli", *words], env=self.session.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=60).stdout

    def run(self):
        pool = ("--pool", "--grace-period", f"{GRACE_S}s")
        fails = KINDS[self.kind]
        self.begin("outside", ())
        self.begin("restarted", (*pool, "--max-restarts", RESTARTS))
        self.begin("neighbour", pool)
        if fails:
            self.begin("culprit", pool, ("--fails", fails, "--go", self.go))
        if not wait_until(lambda: all(len(each.worked()) > 3 for each in self.members.values()), START_S):
            return self.failed("did not start")
        service = Service(self.session)
        watcher = threading.Thread(target=service.watch, daemon=True)
        watcher.start()
        time.sleep(AFTER_S)
        fault = self.cause(service)
        pool_texts = []

        def over():
            for each in self.members.values():
                each.poll()
            if not pool_texts and time.monotonic() > fault + 2.5:
                pool_texts.append(self.xcli("pool"))
            restarted = self.members["restarted"]
            well = len(restarted.pids()) > 1 and restarted.worked() and restarted.worked()[-1][0] > fault + 2 and \
                len([row for row in restarted.worked() if row[0] > fault + 2]) > AFTER_S / 0.02
            return well and self.members["neighbour"].ended
        if self.kind in SPARES_NEIGHBOURS:
            time.sleep(2 * AFTER_S)
            settled = all(self.members[name].worked()[-1][0] > fault + AFTER_S for name in ("restarted", "neighbour"))
        else:
            settled = wait_until(over, WATCH_S)
        service.ends.set()
        watcher.join(15)
        return self.found(service, fault, settled, pool_texts)

    def cause(self, service):
        """Returns when it happened."""
        if self.kind == "server":
            at = time.monotonic()
            for pid in service.servers():
                os.kill(pid, signal.SIGKILL)
            return at
        self.go.touch()
        culprit = self.members["culprit"]
        wait_until(lambda: any(line.startswith("failing ") for _, _, line in list(culprit.lines)), 10)
        if self.kind == "killed":
            time.sleep(0.3)
            os.kill(culprit.pids()[0], signal.SIGKILL)
            return time.monotonic()
        return next((float(line.split()[1]) for _, _, line in culprit.lines if line.startswith("failing ")),
                    time.monotonic())

    def found(self, service, fault, settled, pool_texts):
        explained = {name: self.xcli("explain", str(each.pids()[0])) for name, each in self.members.items()
                     if name != "outside"}
        doc = {"kind": self.kind, "settled": settled,
               "mps": [{"at": round(at - fault, 3), "question": question, "answer": answer}
                       for at, question, answer in service.changes],
               "programs": {name: each.json(fault) for name, each in self.members.items()},
               "xcli_pool": [*pool_texts, self.xcli("pool")], "xcli_explain": explained}
        outside, restarted = doc["programs"]["outside"], doc["programs"]["restarted"]
        begun_again = len(restarted["pids"]) > 1 or self.kind in SPARES_NEIGHBOURS
        doc["problems"] = [
            *(["the program outside stood still"] if outside["worked_again_at"] or outside["status"] else []),
            *([] if begun_again else ["the neighbour was not begun again"]),
            *([] if settled else ["a neighbour hung, or did not go on"])]
        return doc

    def failed(self, why):
        return {"kind": self.kind, "problems": [why], "settled": False,
                "programs": {name: each.json(time.monotonic()) for name, each in self.members.items()}}

    def end(self, log):
        for each in self.members.values():
            each.end()
        folder = json.loads(self.xcli("pool", "--json")).get("folder", "")
        self.xcli("pool", "stop")
        for name in ("control.log", "server.log", "fault.json"):
            path = Path(folder) / name
            if path.exists():
                log.write(f"--- {self.kind}: {name}\n{path.read_text(errors='replace')}\n")
                path.unlink()
        log.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--kinds", default=",".join(KINDS))
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"--kinds {','.join(unknown)}: there are {', '.join(KINDS)}")
    options.results.mkdir(parents=True, exist_ok=True)
    cases, where = [], options.results / "pool_faults.json"
    with programs.Session(options.build) as session, open(options.results / "pool_faults.log", "w") as log:
        for kind in kinds:
            case = Case(session, kind)
            try:
                cases.append(case.run())
            finally:
                case.end(log)
            where.write_text(json.dumps({"what": "faults in a pool: bench/cuda/pool_faults.py", "cases": cases},
                                        indent=1) + "\n")
            print(time.strftime("%H:%M:%S"), kind, cases[-1]["problems"] or "as promised", flush=True)
    return 1 if any(case["problems"] for case in cases) else 0


if __name__ == "__main__":
    sys.exit(main())
