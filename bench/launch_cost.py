#!/usr/bin/python3
"""The cost that XSched adds to calls of a GPU's driver on the host: each kind of call natively and under XSched, in
rounds. No other program competes.

    launch_cost.py                  CUDA
    launch_cost.py --platform hip   HIP over the CUDA driver (libhiponcuda.so) beside CUDA itself: what is added to a
                                    launch there may be 20 % more than on CUDA

FAKE_CUDA_DIRECT=FILE: that is the CUDA driver, such as the tests' fake one, to try this without a GPU.
Exit status 1 if a target was missed, 2 if nothing could be measured."""
import os
import statistics
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import backend as backends  # noqa: E402
from lib import programs, report, stand_ins  # noqa: E402
from lib.command import options_parser  # noqa: E402
from lib.progress import Progress  # noqa: E402

KINDS = ["launch, NULL stream", "launch, own stream", "event record", "synchronize an idle stream", "memset 4 bytes",
         "launch, another of four streams", "stream's wait for an event", "event query", "stream query"]
LAUNCHES = KINDS[:2]
MOST_NS, MOST_SMALL_NS = 150, 60
# CUDA's: what XSched may add.
LIMITS = {**{kind: MOST_NS for kind in (*LAUNCHES, KINDS[5])},
          **{kind: MOST_SMALL_NS for kind in (KINDS[2], *KINDS[6:])}}
MOST_RATIO = 1.2  # of HIP's added time to CUDA's
START_SECONDS = 1.5
NATIVE, XSCHED, LOCAL, HIP, HIP_XSCHED = "native", "xsched", "local", "hip", "hip xsched"


@dataclass
class Way:
    """How the program is started: of which folder, and with which options of xcli run (None: without it)."""
    name: str
    folder: Path
    options: list | None = None
    environment: dict = field(default_factory=dict)


def cuda_ways(session):
    folder = session.build / "bench" / "cuda"
    return [Way(NATIVE, folder), Way(XSCHED, folder, []), Way(LOCAL, folder, ["--scheduler", "local"])]


def hip_ways(session, environment):
    folder = session.build / "bench" / "hip"
    return [*cuda_ways(session)[:2], Way(HIP, folder, None, environment), Way(HIP_XSCHED, folder, [], environment)]


def measure(session, ways, options):
    """{(way, kind): a median of each round, ns}"""
    found = defaultdict(list)
    with Progress(options.rounds * len(ways) * (options.seconds + START_SECONDS)) as progress:
        for number in range(options.rounds):
            first = number % len(ways)
            for way in ways[first:] + ways[:first]:
                if time.monotonic() + options.seconds + START_SECONDS > options.deadline:
                    continue
                progress.doing(way.name)
                program = session.start("launch_cost", {"seconds": options.seconds},
                                        () if way.options is None else session.under_xsched(*way.options),
                                        way.environment, way.folder)
                rows = program.finish(progress, options.seconds)
                for kind, name in enumerate(KINDS):
                    found[way.name, name].append(statistics.median(row[1] for row in rows if row[0] == kind) / 1000)
    return {key: {"median_ns": statistics.median(values), "least_ns": min(values), "rounds_ns": values}
            for key, values in found.items()}


def medians(found, kind, ways):
    """Returns the medians of these ways; None if one was not measured."""
    values = [found.get((way, kind), {}).get("median_ns") for way in ways]
    return None if None in values else values


def added_to(kind):
    return f"added to a{'n' if kind[0] in 'aeiou' else ''} {kind}"


def least_added(found, kind):
    """Returns the figures of each way's quickest round: the machine causes the extra time of other rounds."""
    least = [found[way, kind].get("least_ns") for way in (NATIVE, XSCHED)]
    return "-" if None in least else f"{least[1] - least[0]:.0f}"


def outcome(found):
    """CUDA's: a table's rows, the first of them its heading, and [(what, measured, relation, limit, unit)]."""
    ways = (NATIVE, XSCHED, LOCAL)
    rows, targets = [("call, ns of host time", *ways, "added", "added, local", "added, least rounds")], []
    for kind in KINDS:
        if (values := medians(found, kind, ways)) is None:
            continue
        native, xsched, local = values
        rows.append((kind, *(f"{value:.0f}" for value in (*values, xsched - native, local - native)),
                     least_added(found, kind)))
        if kind in LIMITS:
            targets.append((added_to(kind), xsched - native, "<=", LIMITS[kind], " ns"))
    return rows, targets


def hip_outcome(found):
    """The same of HIP beside CUDA."""
    ways = (NATIVE, XSCHED, HIP, HIP_XSCHED)
    rows, targets = [("call, ns of host time", "CUDA", "XSched", "HIP", "XSched", "added, CUDA", "added, HIP",
                      "ratio")], []
    for kind in KINDS:
        if (values := medians(found, kind, ways)) is None:
            continue
        on_cuda, on_hip = values[1] - values[0], values[3] - values[2]
        ratio = on_hip / on_cuda if on_cuda > 0 else None  # the differences of calls that wait are mostly noise
        rows.append((kind, *(f"{value:.0f}" for value in (*values, on_cuda, on_hip)),
                     "-" if ratio is None else f"{ratio:.2f}"))
        if kind in LAUNCHES:
            targets.append((f"added to a {kind}: HIP's to CUDA's", ratio, "<=", MOST_RATIO, ""))
    return rows, targets


def parse_options():
    parser = options_parser(__doc__)
    parser.add_argument("--platform", choices=("cuda", "hip"), default="cuda")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each program, each round")
    parser.add_argument("--budget", type=float, default=3600, help="seconds after which no program is started")
    options = parser.parse_args()
    options.deadline = time.monotonic() + options.budget
    return options


def measure_platform(session, platform, options):
    """Returns the platform's backend, and what measure() finds."""
    if os.environ.get(stand_ins.DRIVER):
        stand_ins.use_as_libcuda(session, Path(os.environ[stand_ins.DRIVER]))
    backend = backends.choose(session.build, session.environment, ["cuda"])
    if platform == "cuda":
        return backend, measure(session, cuda_ways(session), options)
    stand_in = stand_ins.find(session, stand_ins.ON_CUDA)
    if stand_in is None:
        raise LookupError(f"{session.build / 'lib' / stand_ins.ON_CUDA} is not there or does not answer: build the "
                          "tests")
    return stand_in[0], measure(session, hip_ways(session, stand_in[1]), options)


def main():
    options = parse_options()
    try:
        with programs.Session(options.build) as session:
            backend, found = measure_platform(session, options.platform, options)
    except (LookupError, programs.ProgramFailed, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    rows, targets = (outcome if options.platform == "cuda" else hip_outcome)(found)
    passed = bool(targets) and all(report.met(value, relation, limit) for _, value, relation, limit, _ in targets)
    print(f"\n{backend.device}, driver {backend.driver}, XSched {report.version()}\n\n{report.table(rows)}\n")
    print(report.targets_table(targets))
    ways = {way for way, _ in found}
    metrics = {"ns_per_call": {kind: {way: found.get((way, kind)) for way in sorted(ways)} for kind in KINDS},
               "targets": report.targets_json(targets)}
    title = backends.TITLES[options.platform]
    print(report.write_result(options.results, f"{options.platform}_launch_cost", f"host time per {title} call",
                              backend, passed, metrics,
                              f"medians of {options.rounds} interleaved rounds of {options.seconds:g} s"))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
