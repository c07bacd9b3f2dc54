#!/usr/bin/env python3
"""Checks that limits hold: the part of its device that a busy program gets with `xcli run --limit`, alone and beside
another program, under several policies, and the figures of `xcli list` for it. Also the figures for a program without a
limit that is alone and never idle, and the cost of XSched for such a program (limit 0).

    bench/limits.py --build DIR --program FILE --out FILE [--seconds 6] [--driver LIBCUDA] [--only alone|beside]
                    [--rounds 3] [--kernels "1 ms,5 ms"]

PROGRAM is bench_cuda_neighbours, or the main job's lp of a platform (bin/opencl/lp: on PoCL without a GPU), which
stands beside its hp. Each figure with a limit stands beside one of the same program without us, just before. Times are
of kernels that completed, in the whole run but its first second; with lp on OpenCL they are the device's own. A row is
the median of its rounds. Exit status 1: a program failed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lib import report

PERCENTS = (0, 5, 20, 50, 80, 99)  # 0: none; the last one: what it costs to follow a program
POLICIES = ("HPF", "PUP", "CFS")
ALONE = POLICIES[:2]
KERNELS = {"0.2 ms": 28, "1 ms": 140, "5 ms": 700}  # times the steps of a kernel of 7 us
DEPTH = 4  # kernels in flight
PATIENCE_S = 60
MEMORY_FILES = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # the driver registers no pages of a disk


class Runs:
    def __init__(self, options, folder):
        self.options, self.folder = options, Path(folder)
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("XSCHED_", "XLOG_")) and name != "LD_PRELOAD"}
        self.environment |= {"XSCHED_SOCKET": str(self.folder / "x.sock"), "XLOG_LEVEL": "WARN"}
        if options.driver:
            self.environment |= {"XSCHED_CUDA_LIB": str(options.driver), "NEIGHBOURS_DRIVER": str(options.driver)}
        self.device = ""
        self.is_main_job = options.program.name == "lp"
        self.steps = self.calibrated()
        self.count = 0

    def calibrated(self):
        """The steps of a kernel of 7 us."""
        if not self.is_main_job:
            return int(self.tool(self.options.program, "copying", "/dev/null", "1", "1", "0").split()[0])
        words = [self.options.program.with_name("hp"), "--calibrate", "1", "--kernel-ms", "0.7"]
        said = [self.tool(*words).split(None, 1) for _ in range(5)]
        self.device = said[0][1].strip() if len(said[0]) > 1 else ""
        return statistics.median(int(steps) for steps, *_ in said) / 100

    def command(self, rows, steps):
        if not self.is_main_job:
            return [self.options.program, "queues", rows, 1, DEPTH, steps]
        return [self.options.program, "--out", rows, "--steps", steps, "--depth", DEPTH, "--until-eof", 1,
                "--stream", "timed"]

    def tool(self, *words):
        done = subprocess.run([str(word) for word in words], env=self.environment, capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def xcli(self, *words):
        return self.tool(self.options.build / "bin" / "xcli", *words)

    def start(self, steps, *before):
        self.count += 1
        rows = self.folder / f"{self.count}.txt"
        process = subprocess.Popen([*map(str, before), *map(str, self.command(rows, round(steps)))],
                                   env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process.rows = rows
        if process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"a program ended with {process.wait(PATIENCE_S)}")
        return process

    def limited(self, steps, percent):
        return self.start(steps, self.options.build / "bin" / "xcli", "run", *(["--limit", percent] if percent else []),
                          "--")

    @staticmethod
    def end(process):
        process.stdin.close()
        if process.wait(PATIENCE_S) != 0:
            raise RuntimeError(f"a program ended with {process.returncode}: a result may be wrong")
        return [tuple(map(int, line.split())) for line in process.rows.read_text().splitlines() if line.strip()]

    def alone(self, steps):
        process = self.start(steps)
        time.sleep(1.5)
        return rate(self.end(process))

    def got(self, process):
        """Returns a program's use in the last second and the last ten according to the list, in percent."""
        for queue in json.loads(self.xcli("list", "--json"))["queues"]:
            if queue["pid"] == process.pid:
                return queue["got_percent"][:2]
        return None


def rate(rows, first_s=0.5):
    """Kernels a second."""
    ends = [row[0] for row in rows if row[0] >= rows[0][0] + first_s * 1e9]
    return (len(ends) - 1) / (ends[-1] - ends[0]) * 1e9


def in_seconds(rows, amount):
    """Percent of the device in each second that begins with a tenth, from the second on."""
    parts = []
    begin = rows[0][0] + 1e9
    while begin + 1e9 <= rows[-1][0]:
        parts.append(100 * sum(amount(row) for row in rows if begin <= row[0] < begin + 1e9))
        begin += 1e8
    return parts


def described(rows, of, seconds):
    """Returns a program's use of the device. If the device tells how long it ran each kernel, that counts.
    Otherwise the program's own rate counts, of `of` kernels a second without us: it needs a quiet machine."""
    told = len(rows[0]) > 1
    parts = in_seconds(rows, (lambda row: row[1] / 1e9) if told else (lambda row: 1 / of))
    whole = statistics.mean(parts) if told and parts else 100 * rate(rows, 1.0) / of
    return {"percent": round(whole, 2), "least_second": round(min(parts, default=0), 2),
            "most_second": round(max(parts, default=0), 2), "rate_percent": round(100 * rate(rows, 1.0) / of, 2),
            "seconds": seconds}


def middle(rows):
    """One row of several rounds: numbers are their medians, and the rest is alike in all."""
    rows = [row for row in rows if row is not None]
    if not rows:
        return None
    first = rows[0]
    if isinstance(first, dict):
        return {key: middle([row[key] for row in rows]) for key in first}
    if isinstance(first, list):
        return [middle(list(column)) for column in zip(*rows)]
    if isinstance(first, (int, float)) and not isinstance(first, bool):
        return round(statistics.median(rows), 2)
    return first


def measure_rounds(runs, *words):
    rows = [row for row in (measure(runs, *words) for _ in range(runs.options.rounds))
            if row["got_percent"] is not None]
    if not rows:
        raise RuntimeError("xcli list does not have the program")
    row = middle(rows) | {"rounds": len(rows)}
    print(json.dumps(row), flush=True)
    return row


def measure(runs, policy, kernel, percent, beside):
    steps = KERNELS[kernel] * runs.steps
    native = runs.alone(steps)
    processes = [runs.limited(steps, percent)]
    if beside:
        processes.append(runs.limited(steps, 0))
    time.sleep(runs.options.seconds)
    listed = runs.got(processes[0])
    ends = [runs.end(process) for process in processes]
    row = {"policy": policy, "kernel": kernel, "limit": percent, "beside": beside, "native_per_s": round(native, 1),
           "limited": described(ends[0], native, runs.options.seconds), "got_percent": listed,
           "load": round(os.getloadavg()[0], 1)}
    if beside:
        row["other"] = described(ends[1], native, runs.options.seconds)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--driver", type=Path)
    parser.add_argument("--only", choices=("alone", "beside"))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--percents", default=",".join(map(str, PERCENTS)), help="of those above")
    parser.add_argument("--policies", default=",".join(POLICIES), help="of those above")
    parser.add_argument("--kernels", default=",".join(KERNELS), help="of those above; beside others it is 1 ms")
    parser.add_argument("--budget", type=float, default=400, help="seconds; what does not fit is left out")
    options = parser.parse_args()
    policies = options.policies.split(",")
    options.build, options.program = options.build.resolve(), options.program.resolve()
    began, rows, result = time.monotonic(), [], report.on_nvidia() | {"processors": os.cpu_count()}
    with tempfile.TemporaryDirectory(dir=MEMORY_FILES) as folder:
        runs = Runs(options, folder)
        server = subprocess.Popen([options.build / "bin" / "xserver", "--no-supervise", "--socket",
                                   runs.environment["XSCHED_SOCKET"]], env=runs.environment)
        try:
            time.sleep(1)
            for beside in (False, True):
                for policy in policies if beside else [one for one in policies if one in ALONE]:
                    runs.xcli("policy", policy)
                    for kernel in options.kernels.split(",") if not beside else ("1 ms",):
                        for percent in map(int, options.percents.split(",")):
                            over = time.monotonic() - began > options.budget
                            left_out = options.only == ("alone" if beside else "beside") or (beside and percent == 0)
                            if over or left_out:
                                continue
                            rows.append(measure_rounds(runs, policy, kernel, percent, beside))
        finally:
            server.terminate()
            server.wait(PATIENCE_S)
    errors = [abs(row["limited"]["percent"] - row["limit"]) for row in rows
              if row["limit"] and not row["beside"]]
    result["device"] = runs.device or result["device"]
    result |= {"rows": rows, "alone_median_error": round(statistics.median(errors), 2) if errors else None,
               "alone_most_error": round(max(errors), 2) if errors else None}
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:
        sys.exit(f"limits: {error}")
