#!/usr/bin/python3
"""What XSched costs PyTorch inference when nobody competes: each model natively and under XSched, in rounds, and
whether the outputs are the same bit for bit. Exit status 1 if a target was missed, 2 if nothing could be measured.

Where memory lies decides by up to a quarter how fast a program that waits for the processor is (GPT-2), from one process
to the next: all of them get the same addresses, where the system allows that."""
import argparse
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from lib import backend as backends  # noqa: E402
from lib import programs, report  # noqa: E402
from lib.progress import Progress  # noqa: E402

NAMES = ["ResNet-18, batch 32", "BERT-base, eager", "BERT-base, CUDA graph", "GPT-2, 32 tokens"]  # inference.py's
MOST_PERCENT = 1
WAYS = {"native": None, "xsched": []}
LOAD_SECONDS = 100  # of Python, PyTorch and four models, for all programs of all rounds at once
TURN_SECONDS = 8    # besides the measuring


def same_addresses():
    """What to put before a command so that its memory is not laid out at random; empty: not to be had here."""
    fixed = ["setarch", "-R"]
    try:
        return fixed if subprocess.run([*fixed, "true"], stderr=subprocess.DEVNULL, timeout=10).returncode == 0 else []
    except (OSError, subprocess.TimeoutExpired):
        return []


def run_once(program, way, seconds, found, progress):
    progress.doing(way)
    program.begin()
    rows = program.finish(progress, len(NAMES) * seconds + TURN_SECONDS)
    for number, name in enumerate(NAMES):
        found[way, name].append(statistics.median(row[2] for row in rows if row[:2] == [number, 0]) / 1e3)
        found["outputs", name] += [row[2] for row in rows if row[:2] == [number, 1]]


def measure(session, options):
    """{(way, model): a median of each round, us}, and for the way "outputs" the fingerprints of all rounds. Programs
    are loaded together, since that takes longest, and use the device in turns, each by itself."""
    progress = Progress(LOAD_SECONDS + options.rounds * len(WAYS) * (len(NAMES) * options.seconds + TURN_SECONDS))
    found, longest = defaultdict(list), 0
    progress.doing("loading")
    fixed = same_addresses()
    waiting = [{way: session.start("inference.py", {"seconds": options.seconds, "wait": 1},
                                   fixed if options_of is None else [*fixed, *session.under_xsched(*options_of)])
                for way, options_of in WAYS.items()} for _ in range(options.rounds)]
    for program in [program for ways in waiting for program in ways.values()]:
        program.wait_ready(progress)
    for number, ways in enumerate(waiting):
        began = time.monotonic()
        if number > 0 and began + longest > options.deadline:
            break
        for way in list(WAYS)[::1 if number % 2 == 0 else -1]:
            run_once(ways[way], way, options.seconds, found, progress)
        longest = max(longest, time.monotonic() - began)
    progress.done()
    return found


def publish(found, options, backend):
    rows, targets, same = [("model", "native us", "XSched us", "added", "rounds", "outputs")], [], True
    for name in NAMES:
        native, xsched = (statistics.median(found[way, name]) for way in WAYS)
        equal = len(set(found["outputs", name])) == 1
        same = same and equal
        added = (xsched / native - 1) * 100
        rows.append((name, f"{native:.1f}", f"{xsched:.1f}", f"{added:+.2f}%", len(found["xsched", name]),
                     "same" if equal else "DIFFERENT"))
        targets.append((f"overhead alone, {name}", added, "<=", MOST_PERCENT, "%"))
    passed = same and all(report.met(value, relation, limit) for _, value, relation, limit, _ in targets)
    print(f"\n{backend.device}, driver {backend.driver}, XSched {report.version()}\n\n{report.table(rows)}\n")
    print(report.targets_table(targets))
    metrics = {"us_per_inference": {name: {way: found[way, name] for way in WAYS} for name in NAMES},
               "outputs_identical": same, "targets": report.targets_json(targets)}
    print(report.write_result(options.results, "cuda_pytorch_overhead", "PyTorch inference alone under XSched", backend,
                              passed, metrics, f"medians of {len(found['xsched', NAMES[0]])} interleaved rounds of "
                              f"{options.seconds:g} s for each model"))
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, default=report.ROOT / "bench" / "results")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.5, help="of each model, each round")
    parser.add_argument("--budget", type=float, default=3600, help="seconds after which no round is begun")
    options = parser.parse_args()
    options.deadline = time.monotonic() + options.budget
    try:
        with programs.Session(options.build) as session:
            backend = backends.choose(session.build, session.environment, ["cuda"])
            session.programs, session.patience = HERE, LOAD_SECONDS
            passed = publish(measure(session, options), options, backend)
    except (LookupError, programs.ProgramFailed, OSError, statistics.StatisticsError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 2
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
