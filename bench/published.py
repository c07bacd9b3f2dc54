#!/usr/bin/env python3
"""The published systems' own workloads on this machine's GPU (bench/workloads/published): urgent and background
programs are processes of their own with models of random weights; natively, under MPS, with static timeslices and under
XSched, in turns. One JSON file for each, and one page.

    bench/published.py                              all of them: many hours
    bench/published.py --only W1.A,W2,W7 --seconds 10 --rounds 1 --budget 470
    bench/published.py --short                      some twenty of them, once, which takes 8 minutes on an H100
    bench/published.py --stay --requests 150        all of them, by programs that stay
    bench/published.py --load 0.2                   urgent rates so that each works a fifth of the time, alone
    bench/published.py --list                       what there is, and what can be measured here
    bench/published.py --dry-run                    what would be run, command by command

Exit status 0, also where there is no GPU or no PyTorch (the reason is printed); 1 if a run failed, 2 if the command
line or a file makes no sense.
"""
import argparse
import contextlib
import importlib.util
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import backend as backends  # noqa: E402
from lib import disturbance, html, peers, programs, published  # noqa: E402
from lib import published_run, published_stay, report, requests  # noqa: E402
from lib.residents import House  # noqa: E402
from lib.progress import Progress  # noqa: E402

# The measurements of a short run, in the order in which they are made: the best known workloads of each paper first.
# On an H100 all of them take about 8 minutes.
SHORT = ("W7", "W2.R1", "W2.M4", "W3.B1", "W3.R2", "W1.A", "W1.B", "W4", "W2.M1", "W2.I1", "W2.R4", "W2.M3", "W2.I2",
         "W5.P512at4", "W5.P2048at4", "W2")
SHORT_SECONDS, SHORT_REQUESTS, SHORT_BUDGET = 5, 150, 500
LOAD_SECONDS = 150     # of Python, PyTorch and models, for all programs of a round at once
NO_TORCH = "there is no python3 with a PyTorch (and torchvision) that finds a GPU"
GUESS_SECONDS = 9      # of one turn besides the measuring


@dataclass(frozen=True)
class DryPeer:
    """Stands for a peer that --dry-run does not look for."""
    name: str

    def prefix(self, role):
        return [f"bench/peers/{self.name}", "run", role]


def parse_options(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, help="where JSON and page go (BUILD/results/published)")
    parser.add_argument("--only", default="", help="these, divided by commas: W1 is all of W1, W1.A one of them")
    parser.add_argument("--ways", default=",".join(published.WAYS), help="of bench/peers")
    parser.add_argument("--seconds", type=float, default=60, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--load", type=float, help="part of the time that each urgent program works, alone")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds after which no variant is begun")
    parser.add_argument("--short", action="store_true", help=f"with --stay, once, as many as fit into "
                        f"{SHORT_BUDGET} s of {', '.join(SHORT)}")
    parser.add_argument("--stay", action="store_true", help="programs take on one workload after the other, and what "
                        "they do alone is measured once for all variants: a tenth of the time")
    parser.add_argument("--requests", type=float, default=0, help="with --stay: urgent ones after which a measurement "
                        f"may end before its time, but not before {published_stay.LEAST_SECONDS} s")
    parser.add_argument("--keep-rows", action="store_true", help="with --stay: every request's begin and latency, in "
                        "RESULTS/rows, and what the server counted")
    parser.add_argument("--log", help="of XSched's programs, such as DEBG: kept with the rows")
    parser.add_argument("--eager", action="store_true", help="kernels of inference are launched one by one, which "
                        "measures Python on a GPU of today; else a request is one CUDA graph")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args(words)
    options.results = options.results or options.build / "results" / "published"
    options.only = [word for word in options.only.split(",") if word]
    options.ways = [word for word in options.ways.split(",") if word]
    if options.short:
        options.only, options.rounds, options.stay = options.only or list(SHORT), 1, True
        options.requests = options.requests or SHORT_REQUESTS
        options.seconds, options.budget = min(options.seconds, SHORT_SECONDS), min(options.budget, SHORT_BUDGET)
    if options.load is not None and not 0 < options.load < 1:
        parser.error(f"--load {options.load:g}: it is a part of the time, between 0 and 1")
    return options


def not_here(options):
    """Why nothing can be measured, as a sentence; empty if it can."""
    if not (options.build / "bin" / "xcli").exists():
        return f"there is no XSched in {options.build}: build it, or say where with --build"
    if options.stay:  # whose programs say it themselves, and sooner
        return "" if all(map(importlib.util.find_spec, ("torch", "torchvision"))) else NO_TORCH
    return "" if requests.torch_finds_device() else NO_TORCH


def guess_seconds(variant, options):
    if options.stay:
        return published_stay.guess_seconds(variant, options)
    return options.rounds * len(published.turns(variant, options.ways)) * (options.seconds + GUESS_SECONDS)


def show_list(variants, options):
    rows = [("", "what", "urgent", "background", "asked")]
    for variant in variants:
        asks = variant.asks
        rows.append((variant.id, variant.name, len(variant.of("urgent")), len(variant.of("background")),
                     f"p{asks['percentile']} <= {asks['most']:g} x, background >= {asks['background'] * 100:g} %"))
    print(report.table(rows))
    reason = not_here(options)
    print(f"\nhere: {'no: ' + reason if reason else 'yes'}")


def command(program, way, seed, load):
    try:
        rate = published.per_s(program, None, load)
    except published.Wrong:
        rate = "(measured first)"
    words = [f"--{name} {value}" for name, value in program.options(seed, rate).items()]
    return " ".join([*DryPeer(way).prefix(published.ROLES[program.role]), "workload.py", *words])


def dry_run(variants, options):
    """Every command, as it would be started; nothing is looked at or measured."""
    for variant in variants:
        print(f"{variant.id}: {variant.name}; about {guess_seconds(variant, options):.0f} s")
        for name, way, roles in published.turns(variant, options.ways):
            print(f"  {name}:")
            for at, program in enumerate(variant.programs):
                if program.role in roles:
                    print(f"    {command(program, way, variant.seed + at, options.load)}")
    print(f"in all about {sum(guess_seconds(each, options) for each in variants) / 60:.0f} min")


def measure(variants, options, session, backend, stack):
    """The documents of those that there was time for."""
    progress = Progress(min(options.budget, sum(guess_seconds(each, options) for each in variants)))
    wanted = dict.fromkeys(["native", *options.ways])  # alone they run natively
    ways, absent = published_run.find_ways(wanted, backend.name, session.environment)
    for peer in ways:
        stack.enter_context(peers.Service(peer, session.environment))
    for name, reason in absent.items():
        print(f"not measured: {name}: {reason}")
    house, documents, slower = House(session, progress), [], [0.0]
    stack.callback(house.end)
    if options.stay:
        published_stay.Staying(house, progress, ways, options.seconds).start_all(variants)
    for variant in variants:
        guess, start = guess_seconds(variant, options), time.monotonic()
        if documents and start - options.began + max(slower[-2:]) * guess > options.budget:
            progress.say(f"not measured: {variant.id}: no time was left")
            continue
        documents.append(measure_one(variant, options, house, ways))
        documents[-1].write(options.results, backend)
        took = time.monotonic() - start
        slower.append(took / guess)
        progress.say(f"\n{documents[-1].text()}{variant.id}: {took:.0f} s, {time.monotonic() - options.began:.0f} in "
                     "all")
    progress.done()
    return documents


def measure_one(variant, options, house, ways):
    watch = disturbance.Watch(lambda: [each.process.pid for each in house.session.started])
    measuring = published_stay.Staying(house, house.progress, ways, options.seconds, options.load, options.requests,
                                     options.results / "rows" if options.keep_rows else None) \
        if options.stay else \
        published_run.Measuring(house.session, house.progress, ways, options.seconds, options.load)
    measuring.ways_shared = [name for name in measuring.ways if name in options.ways]
    try:
        measuring.look(variant)
        for number in range(options.rounds):
            measuring.round(variant, number)
    except (programs.ProgramFailed, OSError, ValueError, IndexError) as error:
        measuring.failures.append(str(error))
    if not options.stay:
        house.session.kill_all()
    out = published_run.answer(variant, measuring, options.rounds)
    out.notes += ["kernels launched one by one"] if options.eager else ["inference as CUDA graphs"]
    out.notes.append(f"meanwhile {watch.stop().says}")
    out.doubts += [watch.note] if watch.note else []
    return out


def main():
    options = parse_options()
    options.began = time.monotonic()
    try:
        variants = published.chosen(published.read_all(), options.only)
        variants = [each.eager() for each in variants] if options.eager else variants
    except (published.Wrong, OSError, ValueError, KeyError) as error:
        print(f"published: {error}", file=sys.stderr)
        return 2
    if options.list or options.dry_run:
        (show_list if options.list else dry_run)(variants, options)
        return 0
    if reason := not_here(options):
        print(f"skipped: {reason}")
        return 0
    options.results.mkdir(parents=True, exist_ok=True)
    try:
        with programs.Session(options.build) as session, contextlib.ExitStack() as stack:
            backend = backends.choose(session.build, session.environment, ["cuda"])
            session.programs, session.patience = backend.programs, LOAD_SECONDS
            session.environment |= {"BENCH_BUILD": str(session.build), "BENCH_PLATFORM": backend.name,
                                    "BENCH_PROGRAMS": str(backend.programs), "BENCH_FOLDER": str(session.folder),
                                    **({"XLOG_LEVEL": options.log} if options.log else {})}
            documents = measure(variants, options, session, backend, stack)
    except LookupError as error:
        print(f"skipped: {error}")
        return 0
    print(f"page: {html.write(options.results)}")
    return 1 if any(document.failures for document in documents) else 0


if __name__ == "__main__":
    sys.exit(main())
