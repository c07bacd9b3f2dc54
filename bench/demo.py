#!/usr/bin/python3
"""The main job in about a minute: what an urgent program gains from XSched beside one that keeps the device full.

    bench/demo.py --build build/release

Runs both programs alone, shared natively and shared under XSched, a few rounds in turn, and prints one table. Exit
status 1 if XSched did not help: it must take away at least half of what native sharing adds to the urgent program's
median latency, lower its p99 by a tenth, and leave the other program at least half of the time that is left; 2 if
nothing could be measured. With --test, 77 if it did not help on a machine that other programs kept busy.
"""
import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import backend as backends  # noqa: E402
from lib import disturbance, main_job, programs, report  # noqa: E402
from lib.progress import Progress  # noqa: E402

ROUNDS, SECONDS = 3, 5
START_UP_SECONDS = 8  # calibration and the first compilation of kernels
NAMES = ["alone", "native", "xsched"]


def helped(job):
    alone, native, xsched = (job.latency(name) for name in NAMES)
    return (xsched["p50"] - alone["p50"] <= (native["p50"] - alone["p50"]) / 2 and xsched["p99"] <= 0.9 * native["p99"]
            and job.lp_share_left("xsched") >= 0.5)


def measure(session, rounds, seconds):
    backend = backends.choose(session.build, session.environment)
    session.programs = backend.programs
    print(f"Platform: {backend.title} through {backend.vendor} on {backend.device}, {os.cpu_count()} CPUs")
    workload = main_job.ON_GPU if backend.name == "cuda" else main_job.ON_CPU
    print(f"High: {workload.says}, priority {main_job.HP_PRIORITY[1]}. Low: {workload.lp_kernel_ms:g} ms kernels without "
          f"end, {main_job.LP_DEPTH} enqueued ahead.", flush=True)
    progress = Progress(START_UP_SECONDS + rounds * (len(NAMES) + 1) * (seconds + 1))
    progress.doing("measuring kernel lengths")
    job = main_job.MainJob(session, progress, {"steps": session.calibrate(workload.hp_kernel_ms)},
                           {"steps": session.calibrate(workload.lp_kernel_ms)}, workload=workload)
    for turn in range(rounds):
        for name in NAMES[turn % len(NAMES):] + NAMES[:turn % len(NAMES)]:
            job.run(name, seconds)
    progress.done()
    return backend, job


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each scenario, each round")
    parser.add_argument("--test", action="store_true", help="a failure on a busy machine counts as skipped")
    arguments = parser.parse_args()
    disturbed = disturbance.note(disturbance.busy_share())
    if disturbed:
        print(f"Note: {disturbed}", flush=True)
    try:
        with programs.Session(arguments.build) as session:
            backend, job = measure(session, arguments.rounds, arguments.seconds)
    except (LookupError, programs.ProgramFailed) as error:
        print(f"\n{error}", file=sys.stderr)
        return 2
    print(f"\nThe high-priority program's burst latency, and the low-priority program's throughput:\n\n{job.table(NAMES)}\n")
    works = helped(job)
    alone, native, xsched = (job.latency(name)["p50"] for name in NAMES)
    print(f"Shared natively the high-priority program is {native / alone:.2f} times slower than alone; under XSched "
          f"{xsched / alone:.2f} times." if works else "XSched did not help here: see docs/ARCHITECTURE.md, or run "
          "with XLOG_LEVEL=DEBG to see every decision.")
    path = report.write_result(arguments.build / "results", "demo", "main job, short", backend, works, job.metrics(),
                               disturbed)
    print(f"All numbers: {path}")
    if not works and disturbed and arguments.test:
        print(f"skipped: {disturbed}")
        return 77
    return 0 if works else 1


if __name__ == "__main__":
    sys.exit(main())
