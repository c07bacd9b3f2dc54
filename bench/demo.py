#!/usr/bin/python3
"""The main job in about a minute: what an urgent program gains from XSched beside one that keeps the device full.

    bench/demo.py --build build/release

Runs both programs alone, shared natively and shared under XSched, a few rounds in turn, and prints one table. Exit
status 1 if XSched did not help: it must take away at least half of what native sharing adds to the urgent program's
median latency, lower its p90 by a tenth (of the p99 a machine's own pauses decide), and leave the other program at
least half of the time that is left; 2 if nothing could be measured. With --test, 77 if it did not help on a machine that other programs kept busy.
"""
import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import backend as backends  # noqa: E402
from lib import disturbance, matrix, programs, report, suite, workloads  # noqa: E402
from lib.document import percent, shown, time_text  # noqa: E402
from lib.progress import Progress  # noqa: E402

ROUNDS, SECONDS = 3, 5
START_UP_SECONDS = 8  # calibration and the first compilation of kernels
WAYS = "native", "xsched"
NOTHING_TO_GAIN = 1.2  # natively shared, of alone: then something disturbed the program when it was alone
STEADY = 1.3           # a program alone, from round to round


def pattern_of(workload):
    """Where sharing costs most."""
    return "A" if workload is workloads.CPU else "B"


def helped(found, pattern, length):
    alone, native, xsched = (found.summary(*cell) for cell in cells(pattern, length))
    return (xsched["p50"] - alone["p50"] <= (native["p50"] - alone["p50"]) / 2 and xsched["p90"] <= 0.9 * native["p90"]
            and found.lp_share("xsched", pattern, length) >= 0.5)


def cells(pattern, length):
    """Alone, shared natively, shared under XSched: as Matrix.summary takes them."""
    return [("native", pattern, None), ("native", pattern, length), ("xsched", pattern, length)]


def measure(session, rounds, seconds):
    backend = backends.choose(session.build, session.environment)
    workload = workloads.of(backend)
    pattern, length = pattern_of(workload), workload.lp_ms
    print(f"Platform: {backend.title} through {backend.vendor} on {backend.device}, {os.cpu_count()} CPUs")
    print(f"High: {workload.patterns[pattern][0]} of {workload.hp_kernel_ms:g} ms, priority 10. Low: kernels of "
          f"{workloads.length_text(length)} without end, {workload.depth} enqueued ahead.", flush=True)
    progress = Progress(START_UP_SECONDS + rounds * 4 * (seconds + 2))
    with suite.Suite(session, backend, suite.PROFILES["quick"], progress, WAYS) as measuring:
        found = matrix.Matrix(session, progress, seconds, workload, "native")
        progress.doing("measuring kernel lengths")
        found.calibrate([length])
        native, xsched = (measuring.peer(name) for name in WAYS)
        ways = [lambda seed: found.run_lp_alone(native, length), lambda seed: found.run(native, pattern, None, seed),
                lambda seed: found.run(native, pattern, length, seed),
                lambda seed: found.run(xsched, pattern, length, seed)]
        for turn in range(rounds):
            for way in ways[turn % len(ways):] + ways[:turn % len(ways)]:
                way(turn + 1)
    progress.done()
    if found.failures:
        raise programs.ProgramFailed(found.failures[0][1])
    return backend, found, pattern, length


def unsteady(found, pattern):
    """How much the same program, alone, differed from round to round, as a sentence; empty if it did not."""
    metrics = found.metrics()
    rounds = [cell["run_p50_us"] for cell in metrics["cells"] if cell["pattern"] == pattern and cell["lp_kernel"] is None]
    rounds += [alone["kernels_per_s"] for alone in metrics["lp_alone"]]
    most = max((max(each) / min(each) for each in rounds if each and min(each) > 0), default=1)
    return f"alone, a program took {most:.1f} times as long in one round as in another" if most > STEADY else ""


def table(found, pattern, length):
    rows = [("", "high: p50", "p99", "max", "x alone", "low keeps")]
    for title, cell in zip(("alone", "shared natively", "shared under XSched"), cells(pattern, length)):
        summary = found.summary(*cell)
        share = percent(found.lp_share(*cell)) if cell[2] else "-"
        rows.append((title, *(time_text(summary[which]) for which in ("p50", "p99", "max")),
                     shown(found.ratio(*cell, "p50")), share))
    return report.table(rows)


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
            backend, found, pattern, length = measure(session, arguments.rounds, arguments.seconds)
    except (LookupError, programs.ProgramFailed) as error:
        print(f"\n{error}", file=sys.stderr)
        return 2
    print("\nThe high-priority program's burst latency, and what the low-priority program keeps of its rate outside "
          f"the bursts:\n\n{table(found, pattern, length)}\n")
    works = helped(found, pattern, length)
    native, xsched = (found.ratio(name, pattern, length, "p50") for name in WAYS)
    print(f"Shared natively the high-priority program is {native:.2f} times slower than alone; under XSched "
          f"{xsched:.2f} times." if works else "XSched did not help here: see docs/ARCHITECTURE.md, or run "
          "with XLOG_LEVEL=DEBG to see every decision.")
    path = report.write_result(arguments.build / "results", "demo", "main job, short", backend, works, found.metrics(),
                               disturbed)
    print(f"All numbers: {path}")
    if not disturbed and native < NOTHING_TO_GAIN:
        disturbed = "the program was no faster alone: something else used this machine meanwhile"
    disturbed = disturbed or unsteady(found, pattern)
    if not works and disturbed and arguments.test:
        print(f"skipped: {disturbed}")
        return 77
    return 0 if works else 1


if __name__ == "__main__":
    sys.exit(main())
