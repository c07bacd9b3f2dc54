#!/usr/bin/python3
"""The cost of seeing XSched's work, each figure beside its limit: the counters and histograms, a trace, the flight
recorder. Nothing of it may be noticed by a program's launches. No GPU is needed; others' work on this machine disturbs
the times of launches, so the load stands above the table.

    seeing_cost.py [--build build/dev] [--rounds N] [--json]

Exit status 1 if a limit is missed, 2 if nothing could be measured, 3 if the machine is too busy to say of launches."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAUNCH_NS, TRACE_PERCENT, ENTRY_NS, RECORDER_PERCENT = 5, 1, 30, 0.2
SUSPENSIONS = 1000  # a second, of which the recorder's part is told
BUSY = 0.5  # of a processor: more than that of others' work, and times of launches say little


def measure(program, environment=None, *words):
    """Returns the output of a program that measures."""
    return json.loads(subprocess.run([program, *words], env={**os.environ, **(environment or {})}, timeout=120,
                                     check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


@contextmanager
def server(binaries, folder, *words):
    """An xserver of its own, as the environment that leads there."""
    environment = {"XSCHED_SOCKET": str(Path(folder) / "x.sock"), "XSCHED_SCHEDULER": "global",
                   "XDG_RUNTIME_DIR": folder}
    quiet = {"env": {**os.environ, **environment}, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = subprocess.Popen([binaries / "xserver", "HPF", *words], **quiet)
    try:
        for _ in range(100):
            if subprocess.run([binaries / "xcli", "server"], **quiet, check=False).returncode == 0:
                break
            time.sleep(0.05)
        yield environment
    finally:
        running.terminate()
        running.wait()


@contextmanager
def traced(binaries, environment, folder):
    """While `xcli trace` runs."""
    tracer = subprocess.Popen([binaries / "xcli", "trace", "-t", "5m", "-o", str(Path(folder) / "x.pftrace")],
                              env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.3)
        yield
    finally:
        tracer.terminate()
        tracer.wait()


def launches(binaries, rounds):
    """{way: ns per launch, a figure for each round}; in turns: without any record, with the recorder, traced."""
    found = {"without": [], "recorder": [], "trace": []}
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other, \
            server(binaries, one, "--no-flight-recorder") as without, server(binaries, other) as with_recorder:
        def launch(environment):
            return measure(binaries / "enqueue_cost", environment, "--rounds", "15")["streaming_best_ns"]
        for _ in range(rounds):
            found["without"].append(launch(without))
            found["recorder"].append(launch(with_recorder))
            with traced(binaries, with_recorder, other):
                found["trace"].append(launch(with_recorder))
    return found


def others_load(seconds=1.0):
    """How many processors' worth of work others do."""
    def busy():
        fields = [int(number) for number in Path("/proc/stat").read_text(encoding="ascii").split("\n")[0].split()[1:9]]
        return sum(fields) - fields[3] - fields[4]
    before = busy()
    time.sleep(seconds)
    return (busy() - before) / os.sysconf("SC_CLK_TCK") / seconds


def rows_of(journal, ways):
    """(what, figure, limit, unit, what it is)"""
    best = {way: min(times) for way, times in ways.items()}
    recorder_ns = journal["entry_ns"] * 4 * SUSPENSIONS  # entries of a suspension and what goes with it
    return [
        ("launch: counters, histograms, recorder", best["recorder"] - best["without"], LAUNCH_NS, "ns",
         "launch under a server that keeps them, less one without a recorder"),
        ("launch: trace on", 100 * (best["trace"] / best["without"] - 1), TRACE_PERCENT, "%",
         "launch while xcli trace runs, by one without"),
        ("trace: an event", journal["entry_ns"], ENTRY_NS, "ns", "on the thread that decides"),
        ("trace: an event, several users", journal["entry_of_two_users_ns"], ENTRY_NS, "ns", "likewise"),
        ("histogram: a length", journal["histogram_ns"], ENTRY_NS, "ns", "likewise"),
        ("flight recorder", 100 * recorder_ns / 1e9, RECORDER_PERCENT, "%",
         f"of a processor, at {SUSPENSIONS} suspensions a second"),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "dev")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    binaries = asked.build.resolve() / "bin"
    needed = ["bench_journal_cost", "enqueue_cost", "xserver", "xcli"]
    if missing := [name for name in needed if not (binaries / name).exists()]:
        print(f"seeing_cost: {', '.join(missing)} not in {binaries}: build these targets", file=sys.stderr)
        return 2
    load = others_load()
    ways = launches(binaries, asked.rounds)
    rows = rows_of(measure(binaries / "bench_journal_cost"), ways)
    missed = [row[0] for row in rows if row[1] > row[2]]
    spread = {way: [min(times), statistics.median(times), max(times)] for way, times in ways.items()}
    if asked.json:
        print(json.dumps({"processors": os.cpu_count(), "others_processors": load, "rounds": asked.rounds,
                          "launch_ns": spread, "missed": missed,
                          "rows": [dict(zip(("what", "figure", "limit", "unit", "is"), row)) for row in rows]},
                         indent=1))
    else:
        print(f"{os.cpu_count()} processors, others' work takes {load:.1f} of them; best of "
              f"{asked.rounds} rounds")
        for what, figure, limit, unit, says in rows:
            print(f"  {what:40} {figure:8.3f} {unit:2}  limit {limit} {unit}"
                  f"  {'MISSED' if figure > limit else 'met'}: {says}")
        for way, (least, middle, most) in spread.items():
            print(f"  a launch, {way}: {least:.1f} ns (median {middle:.1f}, most {most:.1f})")
    if not missed:
        return 0
    return 3 if load > BUSY and all(what.startswith("launch") for what in missed) else 1


if __name__ == "__main__":
    sys.exit(main())
