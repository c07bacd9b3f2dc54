#!/usr/bin/env python3
"""An urgent program that copies, alone and beside programs that copy: natively, under XSched with whole copies (as it
was before copies went in pieces), under XSched as it is, and with level 3 of copy engines as well, in turns.

    copies.py --build DIR --results DIR [--budget SECONDS] [--rounds N] [--bursts N] [--small]

Each burst is 1 MiB to the device, 20 kernels of 7 us and 1 MiB back, every 10 ms. Results go into
DIR/cuda_copies.json: of each way and neighbour the bursts' p50, p99, median copy in and number; the neighbour's rate
alone and beside, and which part of what the bursts left it that is. Exit status 1: a program failed or found a wrong
result. --small: sizes and times for the tests' fake driver."""
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib import command  # noqa: E402

MIB, GIB = 1 << 20, 1 << 30
PERIOD_MS = 10
READY_SECONDS, END_SECONDS, KILLED_SECONDS = 25, 20, 3
# Level 3 of channel groups that only copy is to be measured here before it is a default.
WAYS = {"native": None, "whole": {"XSCHED_COPY_PIECE": "-1"}, "pieces": {"XSCHED_COPY_PIECE": "0"},
        "engines": {"XSCHED_COPY_PIECE": "0", "XSCHED_INTERRUPT_COPIES": "1"}}


@dataclass
class Sizes:
    copy: int = 256 * MIB
    pageable: int = 256 * MIB
    model: int = 10 * GIB
    tensor: int = 256 * MIB

    def neighbours(self):
        return {"pinned both ways": ["copier", "{out}", self.copy, 2, "both", "pinned"],
                "pageable both ways": ["copier", "{out}", self.pageable, 1, "both", "pageable"],
                "model load": ["load", "{out}", self.model, self.tensor],
                "pinned in, 16 deep": ["copier", "{out}", self.copy, 16, "in", "pinned"]}


class Failed(Exception):
    """A program failed."""


class Bench:
    def __init__(self, options, folder):
        self.build, self.folder = options.build.resolve(), Path(folder)
        self.program = self.build / "bench" / "cuda" / "copies"
        self.options = options
        self.sizes = Sizes(8 * MIB, 8 * MIB, 64 * MIB, 8 * MIB) if options.small else Sizes()
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder)}
        self.number = 0
        self.log = []

    def start(self, way, priority, words):
        """The process, and the file that its rows go to."""
        self.number += 1
        out = self.folder / f"rows{self.number}"
        line = [str(word).format(out=out) for word in [self.program, *words]]
        environment = dict(self.environment)
        if WAYS[way] is not None:
            environment |= WAYS[way]
            line = [str(self.build / "bin" / "xcli"), "run", "--priority", str(priority), "--log", "WARN", "--", *line]
        errors = open(self.folder / f"errors{self.number}", "w+", encoding="utf-8", errors="replace")
        process = subprocess.Popen(line, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        process.errors = errors
        if not self.says_ready(process):
            self.finish(process, 0)
            raise Failed(f"{' '.join(line)} did not become ready")
        return process, out

    @staticmethod
    def says_ready(process):
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end:
            if select.select([process.stdout], [], [], 0.5)[0]:
                return process.stdout.readline().strip() == b"ready"
        return False

    def finish(self, process, seconds=END_SECONDS):
        """Ends it by its standard input, or by force. What it said goes into the log."""
        if not process.stdin.closed:
            process.stdin.close()
        forced = ""
        try:
            process.wait(max(seconds, 0.1))
        except subprocess.TimeoutExpired:
            forced = f"ended by force: {where(process.pid)}"
            process.kill()
            try:
                process.wait(KILLED_SECONDS)
            except subprocess.TimeoutExpired:
                forced += "; it does not die"
        process.errors.seek(0)
        said = (process.errors.read().strip()[-1500:] + " " + forced).strip()
        if said:
            self.log.append(said)
        if process.returncode != 0:
            raise Failed(f"exit status {process.returncode}: {said[-700:]}")

    def steps(self):
        line = [self.program, "urgent", "-", "1", "1", "0"]
        return int(subprocess.run(line, capture_output=True, text=True, timeout=READY_SECONDS, check=True).stdout)

    def urgent_words(self, steps):
        return ["urgent", "{out}", self.options.bursts, PERIOD_MS, steps]

    def measure(self, way, words, steps):
        """Bursts, beside a neighbour or (None) alone; and the neighbour's copies."""
        neighbour = self.start(way, 0, words) if words else None
        try:
            if neighbour:
                time.sleep(0.5)
            urgent, out = self.start(way, 10, self.urgent_words(steps))
            self.finish(urgent)
        finally:
            if neighbour:
                self.finish(neighbour[0])
        return rows(out), rows(neighbour[1]) if neighbour else None

    def rate_alone(self, way, words, seconds):
        neighbour, out = self.start(way, 0, words)
        time.sleep(seconds)
        self.finish(neighbour)
        return rate(rows(out))


def where(pid):
    """In which calls of the system its threads are, for the log."""
    found = []
    for task in sorted(Path(f"/proc/{pid}/task").glob("*")):
        try:
            found.append(f"{(task / 'comm').read_text().strip()} {(task / 'syscall').read_text().strip()[:60]}")
        except OSError as error:
            found.append(str(error))
    return ", ".join(found)


def rows(path):
    return [[int(word) for word in line.split()] for line in path.read_text().splitlines()]


def rate(copies, begin=None, end=None):
    """In GB/s, between two times: of whole copies, from the end of one to the end of another."""
    inside = [row for row in copies if (begin is None or row[0] >= begin) and (end is None or row[0] <= end)]
    if len(inside) < 3:
        return 0.0
    return sum(row[1] for row in inside[1:]) / (inside[-1][0] - inside[0][0])


def part(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] / 1000 if ordered else 0.0


def summary(bursts, copies, alone_rate):
    """The first burst is told apart: it meets copies that were launched whole before anybody was there to make room."""
    latencies = [row[1] for row in bursts[1:]]
    made = {"n": len(latencies), "p50_us": part(latencies, 0.5), "p99_us": part(latencies, 0.99),
            "longest_us": part(latencies, 1), "first_us": bursts[0][1] / 1000,
            "in_p50_us": part([row[2] for row in bursts[1:]], 0.5)}
    if copies is not None:
        begin, end = bursts[0][0], bursts[-1][0] + bursts[-1][1]
        busy = sum(row[1] for row in bursts) / (end - begin)
        beside = rate(copies, begin, end)
        made |= {"copier_gbs": beside, "copier_alone_gbs": alone_rate, "bursts_part": busy,
                 "copier_kept": beside / (alone_rate * (1 - busy)) if alone_rate else 0.0}
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in made.items()}


def merged(tries):
    """Of several rounds: the medians of each figure, the number in all."""
    made = {key: sorted(one[key] for one in tries)[len(tries) // 2] for key in tries[0]}
    return made | {"n": sum(one["n"] for one in tries), "rounds": tries}


def merged_all(found):
    return {name: {way: merged(tries) for way, tries in ways.items()} for name, ways in found.items()}


def write(path, document):
    path.write_text(json.dumps(document, indent=1) + "\n")


def main():
    parser = command.options_parser(__doc__)
    parser.add_argument("--budget", type=float, default=170)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--bursts", type=int, default=200)
    parser.add_argument("--ways", default="native,whole,pieces,engines")
    parser.add_argument("--only", default="", help="neighbours whose name contains this")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    began, failures = time.monotonic(), []
    options.results.mkdir(parents=True, exist_ok=True)
    found = {}
    document = {"command": " ".join(sys.argv), "when": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
                "device": device(), "period_ms": PERIOD_MS, "results": {}, "failures": failures}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        steps = bench.steps()
        document["steps"] = steps
        neighbours = {name: words for name, words in bench.sizes.neighbours().items() if options.only in name}
        rates = {}
        try:
            for turn in range(options.rounds):
                for way, name in order(options.ways.split(","), ["alone", *neighbours]):
                    words = neighbours.get(name)
                    if time.monotonic() - began > options.budget:
                        document["cut"] = f"in round {turn + 1}, before {name}, {way}"
                        raise TimeoutError
                    try:
                        if words and name not in rates:
                            rates[name] = bench.rate_alone("native", words, 0.2 if options.small else 2.5)
                        bursts, copies = bench.measure(way, words, steps)
                        one = summary(bursts, copies, rates.get(name, 0.0))
                    except (Failed, OSError, subprocess.SubprocessError) as failure:
                        failures.append(f"{name}, {way}: {failure}")
                        print("given up:", failures[-1], file=sys.stderr, flush=True)
                        continue
                    found.setdefault(name, {}).setdefault(way, []).append(one)
                    print(f"{name:20} {way:15} {json.dumps(one)}", flush=True)
                    document["results"] = merged_all(found)
                    write(options.results / "cuda_copies.json", document)
        except TimeoutError:
            pass
        stop_server(bench)
        document["log"] = bench.log[-40:]
    document["results"] = merged_all(found)
    write(options.results / "cuda_copies.json", document)
    return 1 if failures else 0


def order(ways, names):
    """What matters most comes first: level 3 of copy engines, which is not used yet, last."""
    return [(way, name) for later in (False, True) for name in names for way in ways if (way == "engines") == later]


def device():
    try:
        asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        return subprocess.run(asked, capture_output=True, text=True, timeout=20).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def stop_server(bench):
    """The one that xcli run started in our folder."""
    try:
        said = subprocess.run([bench.build / "bin" / "xcli", "server", "--json"], env=bench.environment,
                              capture_output=True, text=True, timeout=READY_SECONDS)
        os.kill(json.loads(said.stdout)["pid"], signal.SIGTERM)
    except (ValueError, KeyError, OSError, subprocess.SubprocessError):
        pass


if __name__ == "__main__":
    sys.exit(main())
