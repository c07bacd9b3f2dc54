#!/usr/bin/env python3
"""The cost of memory that may move and does not, on an NVIDIA GPU: copies and launches natively, under XSched, and with
--evictable, in turns. And the same room made by managed memory, which the driver itself moves by pages.

    memory_idle.py --build DIR --results DIR [--rounds 3] [--gib 52] [--missing-gib 30]

DIR/cuda_memory_idle.json. Without a GPU it prints "skipped" with the reason, status 0; exit status 1: a program failed.
"""
import argparse
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import launch_cost  # noqa: E402
from lib import backend as backends  # noqa: E402
from lib import programs, report  # noqa: E402
from lib.progress import Progress  # noqa: E402

HERE, GIB = Path(__file__).resolve().parent / "memory", 1 << 30
WAYS = {"natively": None, "XSched": (), "evictable": ("--evictable",)}
WAIT_SECONDS = 120
TOTAL_MIB = ("nvidia-smi", "-i", "0", "--query-gpu=memory.free", "--format=csv,noheader,nounits")


def prefix_of(session, options):
    return () if options is None else [str(word) for word in session.under_xsched(*options)]


def run_copier(session, options):
    ended = subprocess.run([*prefix_of(session, options), sys.executable, HERE / "copier.py"], text=True, check=True,
                           env=session.environment, stdout=subprocess.PIPE, timeout=WAIT_SECONDS)
    return {f"{kind}, GB/s": float(value) for kind, value in (line.rsplit(" ", 1) for line in
                                                              ended.stdout.splitlines())}


def run_launches(session, progress, options):
    program = session.start("launch_cost", {"seconds": 0.7}, prefix_of(session, options),
                            folder=session.build / "bench" / "cuda")
    rows = program.finish(progress, 1)
    return {f"{name}, ns": statistics.median(row[1] for row in rows if row[0] == kind) / 1000
            for kind, name in enumerate(launch_cost.KINDS)}


def in_turns(session, progress, rounds):
    """{kind: {way: [a value of each round]}}"""
    found, ways = defaultdict(lambda: defaultdict(list)), list(WAYS)
    for number in range(rounds):
        for way in ways[number % len(ways):] + ways[:number % len(ways)]:
            for kind, value in {**run_copier(session, WAYS[way]),
                                **run_launches(session, progress, WAYS[way])}.items():
                found[kind][way].append(value)
    return found


def by_pages(options):
    """A neighbour's allocation that takes managed memory off the device, and the victim's first pass afterwards."""
    free = int(subprocess.check_output(TOTAL_MIB, text=True)) << 20
    wanted = int(free - (options.gib - options.missing_gib) * GIB)
    victim = subprocess.Popen([sys.executable, HERE / "managed.py", "--bytes", str(int(options.gib * GIB))], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def touch():
        victim.stdin.write("\n")
        victim.stdin.flush()
        return float(victim.stdout.readline().split()[1])

    try:
        first = float(victim.stdout.readline().split()[1])
        before, rounds = touch(), []
        for _ in range(2):
            command = [sys.executable, HERE / "taker.py", "--bytes", str(wanted), "--hold", "0.2", "--rest", "0"]
            taken = subprocess.run(command, text=True, check=True, stdout=subprocess.PIPE, timeout=WAIT_SECONDS)
            rounds.append({"malloc": taken.stdout.split(), "pass_after_s": touch()})
        return {"first_pass_s": first, "pass_s": before, "taker_gib": wanted / GIB, "rounds": rounds}
    finally:
        victim.kill()
        victim.wait()


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gib", type=float, default=52, help="of the managed memory")
    parser.add_argument("--missing-gib", type=float, default=30, help="what a neighbour's allocation lacks")
    return parser.parse_args()


def main():
    options = parse_options()
    try:
        with programs.Session(options.build) as session:
            backend = backends.choose(session.build, session.environment, ["cuda"])
            session.programs = backend.programs
            progress = Progress(options.rounds * len(WAYS) * 8)
            found = in_turns(session, progress, options.rounds)
            progress.done()
    except LookupError as error:
        print(f"skipped: {error}")
        return 0
    medians = {kind: {way: statistics.median(values) for way, values in ways.items()} for kind, ways in found.items()}
    print("\n" + report.table([("", *WAYS), *((kind, *(f"{ways[way]:.2f}" for way in WAYS))
                                              for kind, ways in medians.items())]))
    managed = by_pages(options)
    print(managed)
    print(report.write_result(options.results, "cuda_memory_idle", "memory that may move and does not", backend, True,
                              {"medians": medians, "rounds": found, "managed": managed},
                              f"{options.rounds} rounds in turns"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
