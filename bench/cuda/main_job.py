#!/usr/bin/python3
"""The main job on an NVIDIA GPU: bursts of 7 us kernels in three patterns beside kernels of several lengths, alone,
shared natively and under XSched, in rounds, with the project's targets beside what was measured.

    bench/cuda/main_job.py                                  the patterns A, B and C beside kernels of 0.3 ms
    bench/cuda/main_job.py --lp-ms 0.05,3,30 --rounds 2     other lengths
    bench/cuda/main_job.py --mps                            everything under an MPS daemon of its own
    bench/cuda/main_job.py --pair                           both sides as streams of one process
    bench/cuda/main_job.py --overhead                       alone only, with and without XSched

Exit status 1 if a target was missed, 2 if nothing could be measured.
"""
import argparse
import contextlib
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib import backend as backends  # noqa: E402
from lib import mps, patterns, programs, report  # noqa: E402
from lib.progress import Progress  # noqa: E402

P50, P99 = {"A": 1.35, "B": 1.35, "C": 1.08}, {"A": 1.6, "B": 1.9, "C": 1.3}
SHARED_P50 = 1.4              # under MPS, and for two streams of one process
LP_PERCENT, OVERHEAD_PERCENT = 95, 2
TARGET_LP_MS = 0.3            # what the targets are set for
NAMES = {"processes": "cuda_main_job", "mps": "cuda_main_job_mps", "pair": "cuda_streams"}  # of the result files
MOST_LOG_BYTES = 1 << 20
PATIENCE_SECONDS = 20         # with a program that should be ready or should have ended
START_UP_SECONDS = 1.5        # of a cell


def targets(matrix, chosen, mode):
    """[(what, measured, relation, limit, unit)]; they are set for lp kernels of 0.3 ms."""
    found = []
    if not matrix.pair and "alone_xsched" in chosen.scenarios:
        for pattern in chosen.patterns:
            cost = matrix.overhead(pattern)
            found.append((f"{pattern}: overhead alone, p50", cost * 100 if cost is not None else None, "<=",
                          OVERHEAD_PERCENT, "%"))
    if "xsched" not in chosen.scenarios or TARGET_LP_MS not in chosen.lp_ms:
        return found
    for pattern in chosen.patterns:
        cell = ("xsched", pattern, TARGET_LP_MS)
        found.append((f"{pattern}: p50 under XSched / alone", matrix.ratio(*cell, "p50"), "<=",
                      P50[pattern] if mode == "processes" else SHARED_P50, "x"))
        if mode == "processes":
            found.append((f"{pattern}: p99 under XSched / alone", matrix.ratio(*cell, "p99"), "<=", P99[pattern], "x"))
            share = matrix.lp_share(*cell)
            found.append((f"{pattern}: lp, part of the time outside bursts", share * 100 if share else None, ">=",
                          LP_PERCENT, "%"))
    return found


def describe(matrix, options, mode):
    words = [f"{matrix.rounds} rounds of {options.seconds:g} s for each cell, interleaved",
             f"kernels of hp {patterns.HP_KERNEL_MS * 1000:g} us, lp {patterns.DEPTH} deep, stream {options.stream}"]
    words += {"processes": [], "mps": ["under MPS"], "pair": ["two streams of one process, local scheduler"]}[mode]
    return "; ".join(words + [f"set: {setting}" for setting in options.set])


def keep_logs(session, matrix, options, mode):
    """Beside the results: what xcli showed in the first shared run, and what programs and server logged."""
    options.results.mkdir(parents=True, exist_ok=True)
    path = options.results / f"{options.name or NAMES[mode]}.log"
    path.write_text((matrix.witness + session.logs())[:MOST_LOG_BYTES])


def measure(session, options, mode):
    """Rounds until all are done or the budget is used up; returns the matrix."""
    cells = len(options.patterns) * sum(1 if name.startswith("alone") else len(options.lp_ms)
                                        for name in options.scenarios)
    progress = Progress(options.rounds * cells * (options.seconds + START_UP_SECONDS))
    matrix = patterns.Matrix(session, progress, options.seconds, options.stream, mode == "pair")
    progress.doing("measuring kernel lengths")
    matrix.calibrate(options.lp_ms)
    cell_seconds, longest = options.seconds + START_UP_SECONDS, 0
    for number in range(options.rounds):
        began = time.monotonic()
        if began + longest > options.deadline:
            break  # whole rounds only, but for the first: every cell counts the same
        matrix.round(number, options.patterns, options.lp_ms, options.scenarios,
                     lambda: time.monotonic() + cell_seconds > options.deadline)
        longest = max(longest, time.monotonic() - began)
        matrix.rounds += 1
    progress.done()
    return matrix


def publish(matrix, options, mode, backend):
    """Prints and writes what was measured; returns whether all targets were met."""
    asked = targets(matrix, options, mode)
    passed = not matrix.failures and all(report.met(value, relation, limit) for _, value, relation, limit, _ in asked)
    print(f"\n{describe(matrix, options, mode)}")
    print(f"{backend.device}, driver {backend.driver}, XSched {report.version()}\n")
    print(matrix.table() + ("\n\n" + report.targets_table(asked) if asked else ""))
    exact = not any("result is wrong" in sentence for sentence in matrix.failures)
    print(f"\nresults of both programs exact in every run: {'yes' if exact else 'NO'}; failed runs: "
          f"{len(matrix.failures)}")
    for sentence in matrix.failures[:4]:
        print(f"failed: {sentence[:1200]}")
    name = options.name or NAMES[mode]
    metrics = {**matrix.metrics(), "results_exact": exact, "targets": report.targets_json(asked)}
    print(report.write_result(options.results, name, f"main job on CUDA, {mode}", backend, passed, metrics,
                              describe(matrix, options, mode)))
    return passed


def items(kind, allowed=None):
    def parse(text):
        found = [kind(word) for word in text.split(",") if word]
        if allowed and not set(found) <= set(allowed):
            raise argparse.ArgumentTypeError(f"use some of {', '.join(allowed)}")
        return found
    return parse


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, default=report.ROOT / "bench" / "results")
    parser.add_argument("--name", help="of the result file, instead of the usual one")
    parser.add_argument("--patterns", type=items(str, patterns.PATTERNS), default=list(patterns.PATTERNS))
    parser.add_argument("--lp-ms", type=items(float), default=[TARGET_LP_MS], help="kernel lengths of lp")
    parser.add_argument("--scenarios", type=items(str, patterns.SCENARIOS), default=list(patterns.SCENARIOS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3, help="of each cell, each round")
    parser.add_argument("--budget", type=float, default=3600, help="seconds after which no cell is begun")
    parser.add_argument("--stream", default="null", help="null, per-thread or own")
    parser.add_argument("--mps", action="store_true")
    parser.add_argument("--pair", action="store_true")
    parser.add_argument("--overhead", action="store_true", help="only alone and alone under XSched")
    parser.add_argument("--keep-log", action="store_true", help="also keep what programs and server logged")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="environment of the programs")
    options = parser.parse_args()
    options.deadline = time.monotonic() + options.budget
    if options.overhead:
        options.scenarios, options.lp_ms = ["alone", "alone_xsched"], []
    return options


def main():
    options = parse_options()
    mode = "pair" if options.pair else "mps" if options.mps else "processes"
    try:
        with programs.Session(options.build) as session, contextlib.ExitStack() as stack:
            session.environment |= dict(setting.split("=", 1) for setting in options.set)
            backend = backends.choose(session.build, session.environment, ["cuda"])
            session.programs, session.patience = backend.programs, PATIENCE_SECONDS
            service = stack.enter_context(mps.Mps(session.folder, session.environment)) if options.mps else None
            if service:
                session.environment = service.environment
            matrix = measure(session, options, mode)
            if service and not service.servers():
                matrix.failures.append("no program used MPS: what was measured is not MPS")
            if options.keep_log or matrix.failures:
                keep_logs(session, matrix, options, mode)
            passed = publish(matrix, options, mode, backend)
    except (LookupError, programs.ProgramFailed, OSError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 2
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
