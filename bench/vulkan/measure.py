#!/usr/bin/env python3
"""What XSched costs and does on a Vulkan device. Prints one JSON object, and a table on stderr.

    measure.py [--build DIR] [--rounds N] [--out FILE] [--only PART ...]

DIR has bin/, lib/, share/, bench/vulkan/vulkan_load, and, for the parts with CUDA, bench/cuda/hp and lp. FILE gets
the object after each part. A round takes about two minutes; the pairs of one part take turns in each round.

  cost     a submit, natively and under xcli run, in turns: the call, a submit with its wait, each of 200 in a row
  exact    commands of random steps against a sequential reference: alone, and while frames under xcli run -p 5 take
           them off the device again and again (level 3)
  pairs    a program that draws, or one with bursts at random, beside one that is always busy with commands of 20 ms;
           each of them a Vulkan program or CUDA's hp and lp, and each natively or under xcli run. A workgroup of the
           busy Vulkan program takes a quarter of a command, or a 64th part
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

COST_S, PAIR_S, FRAME_MS, BUSY_MS, BURST_MS = 1, 4, 9, 20, 2
COST_ROUNDS = 3
EXACT_COMMANDS, EXACT_ROUNDS = 2000, 200_000  # a command takes two milliseconds or so on an H200
START_S = 2  # until the busy program has its device and knows its commands' length
BURST_KERNELS = 20
LIMITS_US = {"call_us": 1, "each_us": 2}
LONGEST_S = 60
LEVEL_1 = ["--level", "1"]
# name: (the program that is watched and how it runs, the busy one and how). How: None natively; xcli run's options.
FRAMES, BURSTS, BUSY, CUDA_BURSTS, CUDA_BUSY = "frames", "bursts", "busy", "CUDA's hp", "CUDA's lp"
SHORT, SHORTER = "busy with short workgroups", 16  # so many times shorter, and as many more of them
PAIRS = {
    "frames alone": (FRAMES, None, None, None),
    "frames unseen, Vulkan natively": (FRAMES, None, BUSY, None),
    "frames unseen, Vulkan -p -5": (FRAMES, None, BUSY, ["-p", "-5"]),
    "frames unseen, Vulkan --background": (FRAMES, None, BUSY, ["--background"]),
    "frames unseen, CUDA natively": (FRAMES, None, CUDA_BUSY, None),
    "frames unseen, CUDA --background": (FRAMES, None, CUDA_BUSY, ["--background"]),
    "frames -p 5, Vulkan level 1": (FRAMES, ["-p", "5"], BUSY, LEVEL_1),
    "frames -p 5, Vulkan": (FRAMES, ["-p", "5"], BUSY, []),
    "bursts -p 5, Vulkan level 1": (BURSTS, ["-p", "5"], BUSY, LEVEL_1),
    "bursts -p 5, Vulkan": (BURSTS, ["-p", "5"], BUSY, []),
    "frames unseen, short workgroups natively": (FRAMES, None, SHORT, None),
    "frames unseen, short workgroups --background": (FRAMES, None, SHORT, ["--background"]),
    "frames -p 5, short workgroups": (FRAMES, ["-p", "5"], SHORT, []),
    "CUDA bursts -p 5, short workgroups": (CUDA_BURSTS, ["-p", "5"], SHORT, []),
    "bursts alone": (BURSTS, None, None, None),
    "CUDA bursts alone": (CUDA_BURSTS, None, None, None),
    "CUDA bursts, Vulkan natively": (CUDA_BURSTS, None, BUSY, None),
    "CUDA bursts -p 5, Vulkan level 1": (CUDA_BURSTS, ["-p", "5"], BUSY, LEVEL_1),
    "CUDA bursts -p 5, Vulkan": (CUDA_BURSTS, ["-p", "5"], BUSY, []),
    "bursts, CUDA natively": (BURSTS, None, CUDA_BUSY, None),
    "bursts -p 5, CUDA": (BURSTS, ["-p", "5"], CUDA_BUSY, []),
}


@dataclass
class Started:
    program: subprocess.Popen
    rows: Path = None  # of CUDA's programs


def quantile(values, part):
    values = sorted(values)
    return round(values[min(len(values) - 1, int(part * len(values)))], 2)


def failed(started, errors):
    return {"failed": started.program.returncode, "says": errors[-300:]}


def times_off(log):
    """Returns how often a program's log says that its channels were disabled, if ever."""
    count = len(re.findall(r"channels (?:disabled|kept off) in", log))
    return {"times_off": count} if count else {}


class Bench:
    def __init__(self, build, folder):
        self.build, self.folder, self.count = build, Path(folder), 0
        self.load, self.xcli = build / "bench/vulkan/vulkan_load", build / "bin/xcli"
        self.environment = os.environ | {"XSCHED_SOCKET": str(self.folder / "x.sock")}
        self.server = subprocess.Popen([build / "bin/xserver", "--socket", self.environment["XSCHED_SOCKET"]],
                                       env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        self.steps = {ms: self.vulkan(None, "rounds", ms)["rounds"] for ms in (FRAME_MS, BUSY_MS, BURST_MS)}
        self.kernel_steps = {ms: self.calibrated(ms) for ms in (BUSY_MS, BURST_MS / BURST_KERNELS)}

    def calibrated(self, ms):
        """Returns the steps of a kernel of CUDA's programs; None: they are not there, or find no device."""
        program = self.build / "bench/cuda/hp"
        if not program.exists():
            return None
        found = subprocess.run([program, "--calibrate", "1", "--kernel-ms", str(ms)], capture_output=True, text=True,
                               timeout=LONGEST_S, check=False)
        return int(found.stdout.split()[0]) if found.returncode == 0 else None

    def start(self, how, *words, rows=None, log="WARN"):
        under = [] if how is None else [self.xcli, "run", *how, "--"]
        return Started(subprocess.Popen([*map(str, [*under, *words])], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=self.environment | {"XLOG_LEVEL": log}, text=True), rows)

    def vulkan(self, how, *words):
        return self.result(self.start(how, self.load, *words))

    def started(self, kind, how, seconds):
        if kind in (CUDA_BURSTS, CUDA_BUSY):
            self.count += 1
            rows = self.folder / f"rows{self.count}"
            options = {"seconds": seconds, "out": rows}
            if kind == CUDA_BUSY:
                options |= {"steps": self.kernel_steps[BUSY_MS], "depth": 2}
            else:
                options |= {"steps": self.kernel_steps[BURST_MS / BURST_KERNELS], "burst-kernels": BURST_KERNELS,
                            "pause-ms": 5, "pause-max-ms": 30}
            program = self.build / "bench/cuda" / ("lp" if kind == CUDA_BUSY else "hp")
            return self.start(how, program, *(word for name, value in options.items() for word in (f"--{name}", value)),
                              rows=rows)
        if kind == SHORT:
            words = (BUSY, seconds, BUSY_MS, self.steps[BUSY_MS] // SHORTER, SHORTER)
            return self.start(how, self.load, *words, log="DEBG")
        ms = {FRAMES: FRAME_MS, BURSTS: BURST_MS, BUSY: BUSY_MS}[kind]
        return self.start(how, self.load, kind, seconds, ms, self.steps[ms], log="DEBG" if kind == BUSY else "WARN")

    def result(self, started, seconds=None):
        out, errors = started.program.communicate(timeout=LONGEST_S)
        if started.program.returncode != 0:
            return failed(started, errors)
        if started.rows is None:
            return json.loads(out) | times_off(errors)
        rows = [list(map(int, line.split())) for line in started.rows.read_text().splitlines()]
        if len(rows[0]) == 1:
            return {"commands": len(rows), "per_second": round(len(rows) / seconds, 2), "wrong": 0}
        took = [row[1] / 1e6 for row in rows]
        return {"bursts": len(took), "p50_ms": quantile(took, 0.5), "p99_ms": quantile(took, 0.99),
                "most_ms": quantile(took, 1), "wrong": 0}

    def cost(self):
        runs = {"native": [], "xsched": []}
        for _ in range(COST_ROUNDS):
            runs["native"].append(self.vulkan(None, "cost", COST_S))
            runs["xsched"].append(self.vulkan([], "cost", COST_S))
        answer = {how: {name: round(statistics.median(run[name] for run in found), 3)
                        for name in ("call_us", "call_p99_us", "alone_us", "each_us")} for how, found in runs.items()}
        answer["device"] = runs["native"][0]["device"]
        answer["added"] = {name: {"us": round(answer["xsched"][name] - answer["native"][name], 3), "limit_us": limit}
                           for name, limit in LIMITS_US.items()}
        return answer

    def exact(self):
        commands = ("exact", EXACT_COMMANDS, EXACT_ROUNDS)
        answer = {"alone": self.vulkan([], *commands)}
        urgent = self.started(FRAMES, ["-p", "5"], 3 * PAIR_S)
        time.sleep(START_S)
        victim = self.start([], self.load, *commands, log="DEBG")
        out, errors = victim.program.communicate(timeout=LONGEST_S)
        found = json.loads(out) | times_off(errors) if victim.program.returncode == 0 else failed(victim, errors)
        found["channels"] = re.findall(r"level 3 through .*", errors)
        return answer | {"taken off": found, "the urgent one": self.result(urgent)}

    def pair(self, watched, watched_how, busy, busy_how):
        seconds, beside = PAIR_S + START_S + 1, None
        if busy is not None:
            beside = self.started(busy, busy_how, seconds)
            time.sleep(START_S)
        answer = {"watched": self.result(self.started(watched, watched_how, PAIR_S))}
        if beside is not None:
            answer["busy"] = self.result(beside, seconds)
        return answer

    def possible(self, pair):
        return None not in self.kernel_steps.values() or not {CUDA_BURSTS, CUDA_BUSY} & {pair[0], pair[2]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path(__file__).resolve().parents[2] / "build/dev")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", nargs="*", choices=("cost", "exact", "pairs"), default=("cost", "exact", "pairs"))
    given = parser.parse_args()
    answer, began = {}, time.monotonic()

    def keep(what, value):
        if what in PAIRS:
            answer.setdefault("pairs", {}).setdefault(what, []).append(value)
        else:
            answer[what] = value
        if given.out:
            given.out.write_text(json.dumps(answer, indent=1) + "\n")
        print(f"{time.monotonic() - began:6.1f} s  {what:36} {value}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(given.build.resolve(), folder)
        try:
            keep("busy alone", bench.vulkan(None, "busy", PAIR_S, BUSY_MS, bench.steps[BUSY_MS]))
            for part in given.only:
                if part != "pairs":
                    keep(part, getattr(bench, part)())
            for name, pair in list(PAIRS.items()) * given.rounds if "pairs" in given.only else []:
                if bench.possible(pair):
                    keep(name, bench.pair(*pair))
        finally:
            bench.server.terminate()
            bench.server.wait(LONGEST_S)
    print(json.dumps(answer, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
