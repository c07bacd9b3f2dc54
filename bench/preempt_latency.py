#!/usr/bin/python3
"""How long a level-1 preemption takes: an urgent burst beside kernels of length T, of which at most `threshold` are in
flight. About 5 minutes.

first start  the first urgent kernel's wait to start, p99, less what it is alone
delay        the urgent burst's p99 less its p50 alone: what the victim's kernels cost in all
drain        until the victim's last kernel ended, p99

Each may be at most (threshold + 1) T. A CPU device (PoCL) runs the kernels of two processes side by side, so there
`drain` and `delay` tell how soon the victim was off; on a GPU `first start` does.
"""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import backend as backends  # noqa: E402
from lib import main_job, programs, report  # noqa: E402
from lib.progress import Progress  # noqa: E402

LENGTHS_MS = [1, 2, 5]
THRESHOLDS = [1, 2, 4, 8]
SECONDS = 10


def measure(session, steps, lp_steps, threshold, seconds, progress):
    job = main_job.MainJob(session, progress, {"steps": steps}, {"steps": lp_steps},
                           {"XSCHED_AUTO_XQUEUE_THRESHOLD": str(threshold)})
    job.run("xsched", seconds)
    return job.results["xsched"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, default=report.ROOT / "bench" / "results")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each measurement")
    arguments = parser.parse_args()
    rows, metrics, passed = [("T ms", "threshold", "first start ms", "delay ms", "drain ms", "asked", "met")], [], True
    try:
        with programs.Session(arguments.build) as session:
            backend = backends.choose(session.build, session.environment, ["opencl"])
            session.programs = backend.programs
            progress = Progress((len(LENGTHS_MS) * len(THRESHOLDS) + 1) * (arguments.seconds + 1))
            steps = session.calibrate(main_job.HP_KERNEL_MS)
            baseline = main_job.MainJob(session, progress, {"steps": steps}, {"steps": steps})
            baseline.run("alone", arguments.seconds)
            alone = baseline.results["alone"]
            for length in LENGTHS_MS:
                lp_steps = session.calibrate(length)
                for threshold in THRESHOLDS:
                    found = measure(session, steps, lp_steps, threshold, arguments.seconds, progress)
                    first = report.percentile(found.first_start_ms, 99) - report.percentile(alone.first_start_ms, 50)
                    delay = report.percentile(found.latency_ms, 99) - report.percentile(alone.latency_ms, 50)
                    drain, limit = report.percentile(found.drain_ms, 99), (threshold + 1) * length
                    met = max(first, drain) <= limit
                    passed = passed and met
                    rows.append((length, threshold, f"{first:.2f}", f"{delay:.2f}", f"{drain:.2f}", f"<= {limit} ms",
                                 "yes" if met else "no"))
                    metrics.append({"kernel_ms": length, "threshold": threshold, "first_start_p99_ms": first,
                                    "delay_p99_ms": delay, "drain_p99_ms": drain, "limit_ms": limit, "met": met})
            progress.done()
    except (LookupError, programs.ProgramFailed, OSError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 2
    print(f"\nLevel-1 preemption, {backend.title} through {backend.vendor} on {backend.device}\n\n{report.table(rows)}")
    print(report.write_result(arguments.results, "preempt_latency", "level-1 preemption latency", backend, passed,
                              {"cases": metrics}, f"{arguments.seconds:g} s for each case"))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
