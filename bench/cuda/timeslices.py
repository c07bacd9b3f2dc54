#!/usr/bin/env python3
"""Bursts of one stretch beside kernels of 3 ms without end: alone, with static timeslices in the hardware, and under
XSched with and without a longer one for the urgent program (docs/decisions/015).

    bench/cuda/timeslices.py --build DIR --results DIR [--bursts 70] [--ms 2,3,6]

Each burst is MS / 0.5 kernels of 0.5 ms, launched at once; 12 ms lie between two. DIR/timeslices.json gets p50, p90 and
the longest, in us, without the first fifteen. Exit status 1: a program failed.
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

KERNEL_MS, LOW_MS, LEARNING, LIMIT_S = 0.5, 3, 15, 60
WAYS = {"alone": {}, "static": {"static": 0}, "static, urgent 16 ms": {"static": 16384},
        "XSched, the driver's own": {"xsched": 0}, "XSched": {"xsched": 8192}}


def commands(options, way, folder):
    """(command, environment) of the urgent program and of the other one, each without its own options."""
    binaries, library = options.build / "bench" / "cuda", options.build / "bench" / "cuda" / "libtimeslices.so"
    environments = [dict(os.environ), dict(os.environ)]
    prefixes = [[], []]
    if "static" in way:
        for environment, us in zip(environments, (way["static"], 1)):
            if us:
                environment.update(LD_PRELOAD=str(library), BENCH_TIMESLICE_US=str(us))
    if "xsched" in way:
        xcli = [str(options.build / "bin" / "xcli"), "run"]
        prefixes = [[*xcli, "--priority", "10", "--"], [*xcli, "--"]]
        for environment in environments:
            environment.update(XSCHED_SOCKET=str(folder / f"{way['xsched']}.sock"),
                               XSCHED_DEBUG=f"urgent_timeslice={way['xsched']}")
    return zip([[*prefix, str(binaries / name)] for prefix, name in zip(prefixes, ("hp", "lp"))], environments)


@contextlib.contextmanager
def beside(command, environment, steps, wanted):
    if not wanted:
        yield
        return
    process = subprocess.Popen([*command, "--steps", str(steps), "--until-eof", "1", "--seconds", str(LIMIT_S)],
                               env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        time.sleep(1)
        yield
    finally:
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def measure(options, way, milliseconds, steps, folder):
    (urgent, its_environment), (other, others) = commands(options, way, folder)
    rows = folder / "rows"
    with beside(other, others, round(steps * LOW_MS / KERNEL_MS), bool(way)):
        kernels = round(milliseconds / KERNEL_MS)
        own = {"bursts": options.bursts, "seconds": LIMIT_S, "burst-kernels": kernels, "steps": steps,
               "pause-ms": 12, "out": rows}
        words = [word for name, value in own.items() for word in (f"--{name}", str(value))]
        subprocess.run([*urgent, *words], env=its_environment, check=True, stdout=subprocess.DEVNULL, timeout=LIMIT_S)
    latencies = sorted(int(line.split()[1]) / 1e3 for line in rows.read_text().splitlines()[LEARNING:])
    return {"n": len(latencies), "p50_us": statistics.median(latencies),
            "p90_us": latencies[len(latencies) * 9 // 10], "longest_us": latencies[-1]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--bursts", type=int, default=70)
    parser.add_argument("--ms", default="2,3,6")
    options = parser.parse_args()
    folder = options.results / "timeslices"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    calibrated = subprocess.run([options.build / "bench" / "cuda" / "hp", "--calibrate", "1", "--kernel-ms",
                                 str(KERNEL_MS)], capture_output=True, text=True, timeout=LIMIT_S, check=True)
    steps = int(calibrated.stdout.split()[0])
    found = {"device": calibrated.stdout.split(maxsplit=1)[1].strip(), "when": time.strftime("%F %T %z"),
             "version": os.environ.get("XSCHED_BENCH_VERSION", ""), "results": {}}
    for milliseconds in map(float, options.ms.split(",")):
        for name, way in WAYS.items():
            result = measure(options, way, milliseconds, steps, folder)
            found["results"][f"{milliseconds:g} ms, {name}"] = result
            print(f"{milliseconds:5g} ms  {name:26s}", "  ".join(f"{key} {value:.0f}" for key, value in result.items()),
                  flush=True)
    (options.results / "timeslices.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main()
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        sys.exit(f"timeslices: {error}")
