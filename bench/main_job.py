#!/usr/bin/python3
"""The main job measured with care: rounds of every scenario in turn, asynchronous bursts and bursts that synchronize
every 5 kernels, with the project's targets beside what was measured. About 10 minutes."""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import backend as backends  # noqa: E402
from lib import main_job, programs, report  # noqa: E402
from lib.progress import Progress  # noqa: E402

ROUNDS, SECONDS = 4, 8
PATTERNS = {
    "async": ("bursts of 20 kernels", {}),
    "sync5": ("bursts of 20 kernels, synchronizing every 5", {"sync-every": 5}),
}
NAMES = ["alone", "native", "xsched", "alone_xsched"]


def targets(job):
    """[(what, measured, relation, limit, unit)] of the main job on PoCL with 2 CPUs."""
    alone, xsched, alone_xsched = job.latency("alone"), job.latency("xsched"), job.latency("alone_xsched")
    rate, rate_xsched = job.results["alone"].lp_rate, job.results["alone_xsched"].lp_rate
    return [
        ("high p50, under XSched / alone", xsched["p50"] / alone["p50"], "<=", 1.3, "x"),
        ("high p99, under XSched / alone", xsched["p99"] / alone["p99"], "<=", 1.7, "x"),
        ("low, part of the time left", job.lp_share_left("xsched") * 100, ">=", 90, "%"),
        ("overhead alone, high (p50)", (alone_xsched["p50"] / alone["p50"] - 1) * 100, "<=", 1, "%"),
        ("overhead alone, low (rate)", (rate / rate_xsched - 1) * 100, "<=", 1, "%"),
    ]


def measure(session, pattern, steps, rounds, seconds):
    progress = Progress(rounds * 6 * (seconds + 1))
    job = main_job.MainJob(session, progress, {"steps": steps[0], **PATTERNS[pattern][1]}, {"steps": steps[1]})
    for turn in range(rounds):
        for name in NAMES[turn % len(NAMES):] + NAMES[:turn % len(NAMES)]:
            job.run(name, seconds)
    progress.done()
    return job


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, default=report.ROOT / "bench" / "results")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each scenario, each round")
    parser.add_argument("--pattern", choices=PATTERNS, action="append", help="default: all")
    arguments = parser.parse_args()
    failed = False
    for pattern in arguments.pattern or PATTERNS:
        try:
            with programs.Session(arguments.build) as session:
                backend = backends.choose(session.build, session.environment, ["opencl"])
                session.programs = backend.programs
                steps = session.calibrate(main_job.HP_KERNEL_MS), session.calibrate(main_job.LP_KERNEL_MS)
                job = measure(session, pattern, steps, arguments.rounds, arguments.seconds)
        except (LookupError, programs.ProgramFailed, OSError) as error:
            print(f"\n{error}", file=sys.stderr)
            return 2
        asked = targets(job)
        passed = all(report.met(value, relation, limit) for _, value, relation, limit, _ in asked)
        failed = failed or not passed
        print(f"\n{PATTERNS[pattern][0]}, {backend.title} through {backend.vendor} on {backend.device}\n")
        print(job.table(NAMES) + "\n\n" + report.targets_table(asked))
        metrics = {**job.metrics(), "targets": [
            {"what": what, "measured": value, "asked": f"{relation} {limit}{unit}",
             "met": report.met(value, relation, limit)} for what, value, relation, limit, unit in asked]}
        print(report.write_result(arguments.results, f"main_job_{pattern}", f"main job, {PATTERNS[pattern][0]}", backend,
                                  passed, metrics, f"{arguments.rounds} rounds of {arguments.seconds:g} s each, interleaved"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
