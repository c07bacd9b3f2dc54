#!/usr/bin/python3
"""What XSched adds to calls of the CUDA driver on the host: each kind of call natively and under XSched, in rounds.
Nobody competes. Exit status 1 if a target was missed, 2 if nothing could be measured."""
import argparse
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib import backend as backends  # noqa: E402
from lib import programs, report  # noqa: E402
from lib.progress import Progress  # noqa: E402

KINDS = ["launch, NULL stream", "launch, own stream", "event record", "synchronize an idle stream", "memset 4 bytes"]
LAUNCHES = KINDS[:2]
MOST_NS = 150
WAYS = {"native": None, "xsched": [], "local": ["--scheduler", "local"]}  # options of xcli run


def measure(session, options):
    """{(way, kind): a median of each round, ns}"""
    progress = Progress(options.rounds * len(WAYS) * (options.seconds + 1.5))
    found = defaultdict(list)
    for number in range(options.rounds):
        ways = list(WAYS)
        for way in ways[number % len(ways):] + ways[:number % len(ways)]:
            if time.monotonic() + options.seconds + 1.5 > options.deadline:
                continue
            progress.doing(way)
            program = session.start("launch_cost", {"seconds": options.seconds},
                                    () if WAYS[way] is None else session.under_xsched(*WAYS[way]))
            rows = program.finish(progress, options.seconds)
            for kind, name in enumerate(KINDS):
                found[way, name].append(statistics.median(row[1] for row in rows if row[0] == kind) / 1000)
    progress.done()
    return {key: {"median_ns": statistics.median(values), "rounds_ns": values} for key, values in found.items()}


def outcome(found):
    """A table's rows, the first of them its heading, and [(what, measured, relation, limit, unit)]."""
    rows, targets = [("call, ns of host time", *WAYS, "added", "added, local")], []
    for kind in KINDS:
        native, xsched, local = (found.get((way, kind), {}).get("median_ns") for way in WAYS)
        if None in (native, xsched, local):
            continue
        rows.append((kind, *(f"{value:.0f}" for value in (native, xsched, local, xsched - native, local - native))))
        if kind in LAUNCHES:
            targets.append((f"added to a {kind}", xsched - native, "<=", MOST_NS, " ns"))
    return rows, targets


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, default=report.ROOT / "bench" / "results")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each program, each round")
    parser.add_argument("--budget", type=float, default=3600, help="seconds after which no program is started")
    options = parser.parse_args()
    options.deadline = time.monotonic() + options.budget
    try:
        with programs.Session(options.build) as session:
            backend = backends.choose(session.build, session.environment, ["cuda"])
            session.programs = backend.programs
            found = measure(session, options)
    except (LookupError, programs.ProgramFailed, OSError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 2
    rows, targets = outcome(found)
    passed = bool(targets) and all(report.met(value, relation, limit) for _, value, relation, limit, _ in targets)
    print(f"\n{backend.device}, driver {backend.driver}, XSched {report.version()}\n\n{report.table(rows)}\n")
    print(report.targets_table(targets))
    metrics = {"ns_per_call": {kind: {way: found.get((way, kind)) for way in WAYS} for kind in KINDS},
               "targets": report.targets_json(targets)}
    print(report.write_result(options.results, "cuda_launch_cost", "host time per CUDA call", backend, passed, metrics,
                              f"medians of {options.rounds} interleaved rounds of {options.seconds:g} s"))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
