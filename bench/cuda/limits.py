#!/usr/bin/env python3
"""Whether a limit is a limit: what a busy program gets of the GPU with `xcli run --limit`, alone and beside another
program, under several policies, and what `xcli list` says of it.

    bench/cuda/limits.py --build DIR --program FILE --out FILE [--seconds 6] [--driver LIBCUDA] [--only alone|beside]

PROGRAM is bench_cuda_neighbours. Each figure with a limit stands beside one of the same program without us, just
before. Times are of kernels that completed, in the whole run but its first second. Exit status 1: a program failed.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PERCENTS = (5, 20, 50, 80, 99)  # the last one: what it costs to follow a program
POLICIES = ("HPF", "PUP", "CFS")
ALONE = POLICIES[:2]
KERNELS = {"0.2 ms": 28, "1 ms": 140, "5 ms": 700}  # times the steps of a kernel of 7 us
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
        self.steps = int(self.tool(options.program, "copying", "/dev/null", "1", "1", "0").split()[0])
        self.count = 0

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
        process = subprocess.Popen([*map(str, before), str(self.options.program), "queues", str(rows), "1", "4",
                                    str(steps)], env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True)
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
        return [int(line.split()[0]) for line in process.rows.read_text().splitlines() if line.strip()]

    def alone(self, steps):
        process = self.start(steps)
        time.sleep(1.5)
        return rate(self.end(process))

    def got(self, process):
        """What the list says that a program had in the last second and the last ten, in percent."""
        for queue in json.loads(self.xcli("list", "--json"))["queues"]:
            if queue["pid"] == process.pid:
                return queue["got_percent"][:2]
        return None


def rate(ends, first_s=0.5):
    ends = [at for at in ends if at >= ends[0] + first_s * 1e9]
    return (len(ends) - 1) / (ends[-1] - ends[0]) * 1e9


def in_seconds(ends, of):
    """Percent of `of` in each second that begins with a tenth, from the second on."""
    parts = []
    begin = ends[0] + 1e9
    while begin + 1e9 <= ends[-1]:
        parts.append(100 * sum(begin <= at < begin + 1e9 for at in ends) / of)
        begin += 1e8
    return parts


def described(ends, of, seconds):
    parts = in_seconds(ends, of)
    return {"percent": round(100 * rate(ends, 1.0) / of, 2), "least_second": round(min(parts, default=0), 2),
            "most_second": round(max(parts, default=0), 2), "seconds": seconds}


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
           "limited": described(ends[0], native, runs.options.seconds), "got_percent": listed}
    if beside:
        row["other"] = described(ends[1], native, runs.options.seconds)
    print(json.dumps(row), flush=True)
    return row


def versions():
    found = {"when": time.strftime("%F %T %z"), "kernel": platform.release(), "device": "", "driver": "",
             "version": os.environ.get("XSCHED_BENCH_VERSION", "")}
    asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, timeout=30, check=True).stdout
        found["device"], found["driver"] = (word.strip() for word in said.splitlines()[0].split(","))
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        pass
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--driver", type=Path)
    parser.add_argument("--only", choices=("alone", "beside"))
    parser.add_argument("--budget", type=float, default=400, help="seconds; what does not fit is left out")
    options = parser.parse_args()
    options.build, options.program = options.build.resolve(), options.program.resolve()
    began, rows, result = time.monotonic(), [], versions()
    with tempfile.TemporaryDirectory(dir=MEMORY_FILES) as folder:
        runs = Runs(options, folder)
        server = subprocess.Popen([options.build / "bin" / "xserver", "--no-supervise", "--socket",
                                   runs.environment["XSCHED_SOCKET"]], env=runs.environment)
        try:
            time.sleep(1)
            for beside in (False, True):
                for policy in POLICIES if beside else ALONE:
                    runs.xcli("policy", policy)
                    for kernel in KERNELS if not beside else ("1 ms",):
                        for percent in PERCENTS:
                            over = time.monotonic() - began > options.budget
                            if over or options.only == ("alone" if beside else "beside"):
                                continue
                            rows.append(measure(runs, policy, kernel, percent, beside))
        finally:
            server.terminate()
            server.wait(PATIENCE_S)
    errors = [abs(row["limited"]["percent"] - row["limit"]) for row in rows if not row["beside"]]
    result |= {"rows": rows, "alone_median_error": round(statistics.median(errors), 2) if errors else None,
               "alone_most_error": round(max(errors), 2) if errors else None}
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:
        sys.exit(f"limits: {error}")
