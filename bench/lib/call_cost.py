"""The time that XSched adds to calls on the host, without a device: a platform's host_cost on the tests' stand-in runs
natively, with "app" (the program schedules itself: the bare path of an open queue) and with "local" (a scheduler in the
program is told of every change). The ways run in turns, and their quickest rounds are compared, since other users of
the machine slow some rounds down by half."""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

LONGEST_S = 120
NATIVE, APP, LOCAL = "native", "app", "local"
# The most that may be added, as on OpenCL (bench/opencl/enqueue_cost) and, to calls without work, as on CUDA.
MOST_FOR_WORK_NS, MOST_FOR_OTHERS_NS = 300, 60


def run(build, platform, stand_in, way):
    shim = {} if way == NATIVE else {"LD_PRELOAD": str(build / f"lib/libshim{platform}.so"), "XSCHED_SCHEDULER": way}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XSCHED_", "LD_"))}
    environment = kept | shim | stand_in | {"XLOG_LEVEL": "ERRO", "LD_LIBRARY_PATH": str(build / f"fake_{platform}")}
    done = subprocess.run([build / f"bench/{platform}/host_cost"], env=environment, capture_output=True, text=True,
                          timeout=LONGEST_S, check=False)
    if done.returncode != 0:
        sys.exit(f"the program failed {way}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def measure(build, rounds, platform, stand_in, limits_ns):
    """{call: {way: ns in its quickest round}}, with what each way adds."""
    found = {way: [] for way in (NATIVE, APP, LOCAL)}
    for _ in range(rounds):
        for way, results in found.items():
            results.append(run(build, platform, stand_in, way))
    calls = {}
    for call, limit in limits_ns.items():
        ns = {way: min(result[call] for result in results) for way, results in found.items()}
        added = {f"added_{way}": round(ns[way] - ns[NATIVE], 1) for way in (APP, LOCAL)}
        calls[call] = ns | added | {"limit": limit}
    return calls


def main(description, platform, stand_in, limits_ns):
    """`stand_in`: its variables. Returns the exit status: 1 if a limit is missed."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path(__file__).resolve().parents[2] / "build/release")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    calls = measure(options.build.resolve(), options.rounds, platform, stand_in, limits_ns)
    print(f"{'ns of a call':18}{NATIVE:>8}{APP:>8}{LOCAL:>8}{'added':>8}{'limit':>8}", file=sys.stderr)
    for call, ns in calls.items():
        print(f"{call:18}{ns[NATIVE]:8.0f}{ns[APP]:8.0f}{ns[LOCAL]:8.0f}{ns['added_app']:8.0f}{ns['limit']:8}",
              file=sys.stderr)
    print(json.dumps({"ns_per_call": calls, "rounds": options.rounds, "load": round(os.getloadavg()[0], 1)}, indent=1))
    return int(any(ns["added_app"] > ns["limit"] for ns in calls.values()))
