#!/usr/bin/python3
"""The cost of XSched for PyTorch inference when no other program competes: each model natively and under XSched, and
whether the outputs are the same bit for bit. Exit status 1 if a target was missed, 2 if nothing could be measured.

A program that waits for the processor (GPT-2) differs by up to a quarter from the next one of its kind. That depends on
the processor it is on and on where its memory lies. So each round's two programs have the same two processors and,
where the system allows that, the same addresses, and take turns; what is added is the median of the rounds' ratios.
With --control a second native program takes part: what it differs by from the first cannot be told from nothing."""
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from lib import backend as backends  # noqa: E402
from lib import programs, report, turns  # noqa: E402
from lib.command import options_parser  # noqa: E402
from lib.progress import Progress  # noqa: E402

NAMES = ["ResNet-18, batch 32", "BERT-base, eager", "BERT-base, CUDA graph", "GPT-2, 32 tokens"]  # inference.py's
MOST_PERCENT = 1
LOAD_SECONDS = 100  # of Python, PyTorch and four models, for all programs of all rounds at once
WARM_UP_SECONDS = 1.5  # of each program and model


def same_addresses():
    """Returns the words before a command that keep its memory from being laid out at random; empty: not to be had
    here."""
    fixed = ["setarch", "-R"]
    try:
        return fixed if subprocess.run([*fixed, "true"], stderr=subprocess.DEVNULL, timeout=10).returncode == 0 else []
    except (OSError, subprocess.TimeoutExpired):
        return []


def take_turn(program, progress, what):
    progress.doing(what)
    program.take_turn(progress)


def run_round(ways, names, found, progress):
    """Each model in turn: both programs load it, then take turns with it."""
    for name in NAMES:
        for way in names:
            take_turn(ways[way], progress, f"{way} loads {name}")
        for order in turns.orders(names):
            for way in order:
                take_turn(ways[way], progress, f"{way}, {name}")
    for way in names:
        rows = ways[way].finish(progress, 1)
        for number, name in enumerate(NAMES):
            found[way, name].append(statistics.median(row[2] for row in rows if row[:2] == [number, 0]) / 1e3)
            found["outputs", name] += [row[2] for row in rows if row[:2] == [number, 1]]


def measure(session, options):
    """{(way, model): a median of each round, us}, and for the way "outputs" the fingerprints of all rounds. Programs
    are loaded together, since that takes longest; only one at a time uses the device."""
    names = ["native", "xsched"] + ["control"] * options.control
    progress = Progress(LOAD_SECONDS + options.rounds * len(names) * len(NAMES) * (options.seconds + WARM_UP_SECONDS))
    found, longest, fixed = defaultdict(list), 0, same_addresses()
    progress.doing("loading")
    waiting = [{way: session.start("inference.py", {"seconds": options.seconds / turns.TURNS, "turns": turns.TURNS},
                                   [*(session.under_xsched() if way == "xsched" else ()),
                                    *turns.on_processors_of(number), *fixed], {"PYTHONHASHSEED": "0"})
                for way in names} for number in range(options.rounds)]
    for program in [program for ways in waiting for program in ways.values()]:
        program.wait_ready(progress)
    for number, ways in enumerate(waiting):
        began = time.monotonic()
        if number > 0 and began + longest > options.deadline:
            break
        run_round(ways, names[::1 if number % 2 == 0 else -1], found, progress)
        longest = max(longest, time.monotonic() - began)
    progress.done()
    return found


def ratios(found, way, name):
    """By round, over the native program, in percent more."""
    return [(ours / theirs - 1) * 100 for theirs, ours in zip(found["native", name], found[way, name])]


def signed(numbers):
    return " ".join(f"{number:+.1f}" for number in numbers)


def publish(found, options, backend):
    rows = [("model", "native us", "XSched us", "added", "by round", "a second native one", "outputs")]
    targets, same, by_round, control = [], True, {}, {}
    for name in NAMES:
        native, xsched = (statistics.median(found[way, name]) for way in ("native", "xsched"))
        equal = len(set(found["outputs", name])) == 1
        same = same and equal
        by_round[name], control[name] = (ratios(found, way, name) for way in ("xsched", "control"))
        added = statistics.median(by_round[name])
        rows.append((name, f"{native:.1f}", f"{xsched:.1f}", f"{added:+.2f} %", signed(by_round[name]),
                     signed(control[name]) or "-", "same" if equal else "DIFFERENT"))
        targets.append((f"overhead alone, {name}", added, "<=", MOST_PERCENT, "%"))
    passed = same and all(report.met(value, relation, limit) for _, value, relation, limit, _ in targets)
    print(f"\n{backend.device}, driver {backend.driver}, XSched {report.version()}\n\n{report.table(rows)}\n")
    print(report.targets_table(targets))
    ways = [way for way in ("native", "xsched", "control") if found[way, NAMES[0]]]
    metrics = {"us_per_inference": {name: {way: found[way, name] for way in ways} for name in NAMES},
               "added_percent_by_round": by_round, "outputs_identical": same, "targets": report.targets_json(targets)}
    if options.control:
        metrics["control_percent_by_round"] = control
    notes = f"{len(found['xsched', NAMES[0]])} rounds, in each {len(ways)} programs on the same processors that take " \
            f"{turns.TURNS} turns of {options.seconds / turns.TURNS:g} s with each model"
    print(report.write_result(options.results, "cuda_pytorch_overhead", "PyTorch inference alone under XSched", backend,
                              passed, metrics, notes))
    return passed


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.5, help="of each model, each round")
    parser.add_argument("--control", action="store_true", help="a second native program in each round")
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
