#!/usr/bin/env python3
"""The cost of a switch away from a victim by where its kernels may be preempted: anywhere (cilp, which the driver's
library asks for), between thread blocks (cta), or when all are over (wfi). Bursts beside kernels without end whose
process has a timeslice of a microsecond, or is scheduled by XSched (docs/decisions/016).

    bench/cuda/preemption_modes.py --build DIR --results DIR [--bursts 45]

DIR/preemption_modes.json gets p50, p90 and the longest in us, without the first eight bursts, and how many kernels a
second the victim completed. Exit status 1: a program failed.
"""
import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

KERNEL_MS, LEARNING, LIMIT_S = 0.007, 8, 40
# The victim's kernels: ms, waves of thread blocks.
VICTIMS = {"0.3 ms, blocks of 0.3 ms": (0.3, 1), "0.3 ms, blocks of 37 us": (0.3, 8),
           "0.3 ms, blocks of 9 us": (0.3, 32), "0.05 ms, blocks of 50 us": (0.05, 1)}
# The ways to keep the victims off (the peer static_timeslices, XSched), each with the preemption modes that are
# tried.
LATER = " later"
WAYS = {"static": ("cilp", "cta", "cta" + LATER), "xsched": ("cilp", "cta")}
BURSTS = {"one kernel": ["--burst-kernels", "1"], "A": ["--burst-kernels", "100"]}


def command(options, way, mode, role, folder):
    environment, library = dict(os.environ), options.build / "bench" / "cuda" / "libtimeslices.so"
    program = [str(options.build / "bench" / "cuda" / role)]
    if role == "lp" and way != "alone":
        environment |= {"LD_PRELOAD": str(library), "BENCH_PREEMPTION": mode, "BENCH_TIMESLICE_SAY": "1"}
        if way == "static":
            environment["BENCH_TIMESLICE_US"] = "1"
        if mode.endswith(LATER):
            environment |= {"BENCH_PREEMPTION": mode.removesuffix(LATER), "BENCH_PREEMPTION_LATER": "1"}
    if way == "xsched":
        environment["XSCHED_SOCKET"] = str(folder / "server.sock")
        program = [str(options.build / "bin" / "xcli"), "run", *(["--priority", "10"] if role == "hp" else []), "--",
                   *program]
    return program, environment


@contextlib.contextmanager
def beside(start, words, folder):
    program, environment = start
    with open(folder / "victim.err", "w") as errors:
        process = subprocess.Popen([*program, *words, "--until-eof", "1", "--seconds", str(LIMIT_S), "--out",
                                    str(folder / "victim")], env=environment, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            if "ready" not in process.stdout.readline():
                raise subprocess.SubprocessError((folder / "victim.err").read_text())
            yield
        finally:
            process.stdin.close()
            try:
                if process.wait(10) != 0:
                    raise subprocess.SubprocessError((folder / "victim.err").read_text())
            except subprocess.TimeoutExpired:
                process.kill()


def bursts(start, words, options, folder, steps):
    program, environment = start
    began = time.monotonic_ns()
    subprocess.run([*program, *words, "--bursts", str(options.bursts), "--seconds", str(LIMIT_S), "--pause-ms",
                    "6", "--pause-max-ms", "9", "--steps", str(steps), "--out", str(folder / "rows")], env=environment,
                   check=True, stdout=subprocess.DEVNULL, timeout=LIMIT_S)
    rows = [[int(word) for word in line.split()] for line in (folder / "rows").read_text().splitlines()]
    latencies = sorted(row[1] / 1e3 for row in rows[LEARNING:])
    return {"n": len(latencies), "p50_us": statistics.median(latencies), "p90_us": latencies[len(latencies) * 9 // 10],
            "longest_us": latencies[-1]}, rows[0][0] if rows else began, rows[-1][0]


def calibrated(options, milliseconds, waves):
    done = subprocess.run([str(options.build / "bench" / "cuda" / "hp"), "--calibrate", "1", "--kernel-ms",
                           str(milliseconds), "--waves", str(waves)], capture_output=True, text=True, timeout=LIMIT_S,
                          check=True)
    return int(done.stdout.split()[0]), done.stdout.split(maxsplit=1)[1].strip()


def rate_between(path, begin_ns, end_ns):
    seen = [int(line.split()[0]) for line in path.read_text().splitlines()]
    seen = [at for at in seen if begin_ns <= at <= end_ns]
    return len(seen) / max((end_ns - begin_ns) / 1e9, 1e-9)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--bursts", type=int, default=45)
    parser.add_argument("--budget", type=float, default=1e9, help="seconds after which nothing is begun")
    options = parser.parse_args()
    began = time.monotonic()
    folder = options.results / "preemption_modes"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    steps, device = calibrated(options, KERNEL_MS, 1)
    found = {"device": device, "when": time.strftime("%F %T %z"), "version": os.environ.get("XSCHED_BENCH_VERSION", ""),
             "results": {}, "said": {}}

    def note(name, result):
        found["results"][name] = result
        print(f"{name:62s}", "  ".join(f"{key} {value:.0f}" for key, value in result.items()), flush=True)
        (options.results / "preemption_modes.json").write_text(json.dumps(found, indent=1) + "\n")

    for kind, words in BURSTS.items():
        note(f"{kind}, alone", bursts(command(options, "alone", "", "hp", folder), words, options, folder, steps)[0])
    for victim, (milliseconds, waves) in VICTIMS.items():
        its_steps = calibrated(options, milliseconds, waves)[0]
        for way, modes in WAYS.items():
            for mode in modes:
                if time.monotonic() - began > options.budget:
                    continue
                results = {}
                with beside(command(options, way, mode, "lp", folder),
                            ["--steps", str(its_steps), "--waves", str(waves)], folder):
                    for kind, words in BURSTS.items():
                        results[kind] = bursts(command(options, way, mode, "hp", folder), words, options, folder, steps)
                for kind, (result, first_ns, last_ns) in results.items():
                    result["low_per_s"] = rate_between(folder / "victim", first_ns, last_ns)
                    note(f"{kind}, beside {victim}, {way} {mode}", result)
                found["said"][f"{way} {mode}"] = (folder / "victim.err").read_text()[-600:]
    for name, text in found["said"].items():
        print(f"{name}: {text}")


if __name__ == "__main__":
    try:
        main()
    except (subprocess.SubprocessError, OSError, ValueError, IndexError) as error:
        sys.exit(f"preemption_modes: {error}")
