#!/usr/bin/env python3
"""The time that XSched adds to calls of Level Zero on the host, without a GPU: on the tests' stand-in, where each
command is complete at once. Some seconds; prints one JSON object, and a table on stderr.

    measure.py [--build DIR] [--rounds N]     DIR has lib/, fake_levelzero/ and bench/levelzero/host_cost

The ways run in turns, and their quickest rounds are compared, since other users of the machine slow some rounds down by
half: native, "app" (the program schedules itself: the bare path of an open queue) and "local" (a scheduler in the
program is told of every change). The added time contains the stand-in's time for the calls that XSched makes beside the
program's: its events are asked and reset, and a signal comes behind a command that has an event of the program's. Exit
status 1 if a limit is missed.
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

LONGEST_S = 120
NATIVE, APP, LOCAL = "native", "app", "local"
# The most that may be added, as on OpenCL (bench/opencl/enqueue_cost) and, to calls without work, as on CUDA.
LIMITS_NS = {"fill": 300, "fill_with_event": 300, "fill_any_order": 300, "execute": 300, "event_query": 60,
             "synchronize": 60}


def run(build, way):
    shim = {} if way == NATIVE else {"LD_PRELOAD": str(build / "lib/libshimlevelzero.so"), "XSCHED_SCHEDULER": way}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XSCHED_", "LD_"))}
    environment = kept | shim | {"FAKE_ZE_NOOP": "1", "XLOG_LEVEL": "ERRO",
                                 "LD_LIBRARY_PATH": str(build / "fake_levelzero")}
    done = subprocess.run([build / "bench/levelzero/host_cost"], env=environment, capture_output=True, text=True,
                          timeout=LONGEST_S, check=False)
    if done.returncode != 0:
        sys.exit(f"the program failed {way}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def measure(build, rounds):
    """{call: {way: ns in its quickest round}}, with what each way adds."""
    found = {way: [] for way in (NATIVE, APP, LOCAL)}
    for _ in range(rounds):
        for way, results in found.items():
            results.append(run(build, way))
    calls = {}
    for call, limit in LIMITS_NS.items():
        ns = {way: min(result[call] for result in results) for way, results in found.items()}
        added = {f"added_{way}": round(ns[way] - ns[NATIVE], 1) for way in (APP, LOCAL)}
        calls[call] = ns | added | {"limit": limit}
    return calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=Path(__file__).resolve().parents[2] / "build/release")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    calls = measure(options.build.resolve(), options.rounds)
    print(f"{'ns of a call':18}{NATIVE:>8}{APP:>8}{LOCAL:>8}{'added':>8}{'limit':>8}", file=sys.stderr)
    for call, ns in calls.items():
        print(f"{call:18}{ns[NATIVE]:8.0f}{ns[APP]:8.0f}{ns[LOCAL]:8.0f}{ns['added_app']:8.0f}{ns['limit']:8}",
              file=sys.stderr)
    print(json.dumps({"ns_per_call": calls, "rounds": options.rounds, "load": round(os.getloadavg()[0], 1)}, indent=1))
    return int(any(ns["added_app"] > ns["limit"] for ns in calls.values()))


if __name__ == "__main__":
    sys.exit(main())
