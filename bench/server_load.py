#!/usr/bin/python3
"""The demands on a server under load, on two processors of a machine that is otherwise idle: directives among a crowd
of 1,000 clients, several times, and the effect of each attack on honest programs (bench/attacks.py). Needs root; five
minutes at most. Writes server_load.json and attacks.json.

The programs: `cmake --build BUILD --target attack_cost spinner directive_latency`, or what scripts/pack_gpu.sh made of
them."""
import datetime
import json
import os
import statistics
import subprocess
import sys
import time
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import report  # noqa: E402
from lib.awake import Awake  # noqa: E402
from lib.command import options_parser  # noqa: E402

HERE = Path(__file__).resolve().parent
CROWD_SECONDS = 30  # one crowd takes about eight
SPARE_SECONDS = 25  # of the limit, for the last round of attacks to take longer than those before


def siblings(processor):
    path = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
    try:
        return path.read_text().strip()
    except OSError:
        return str(processor)


def choose(allowed):
    """Two processors of two cores; the first of a machine serves its devices."""
    cores = {}
    for processor in sorted(allowed, reverse=True):
        cores[siblings(processor)] = processor
    found = sorted(cores.values())
    found = found[1:] if len(found) > 2 else found
    return set(found[:2]) if len(found) >= 2 else set(sorted(allowed)[:2])


def stolen_seconds():
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK") if len(fields) > 8 else 0.0


def crowd(arguments):
    """One run, or None."""
    command = [arguments.build / "bin" / "directive_latency", "--only", "crowd", "--samples", str(arguments.samples),
               "--idle-s", "1"]
    try:
        ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=CROWD_SECONDS)
        return json.loads(ended.stdout)["runs"][0]
    except (OSError, ValueError, LookupError, subprocess.TimeoutExpired) as error:
        print(f"crowd: {error}", file=sys.stderr)
        return None


def crowds(arguments, awake):
    """Runs with processors kept awake or not, as `awake` says."""
    session = types.SimpleNamespace(build=arguments.build, environment={})
    runs, reason = [], "left to sleep"
    for _ in range(arguments.crowds):
        if not awake:
            runs.append(crowd(arguments))
            continue
        with Awake(session, arguments.alone_here) as kept:
            reason = kept.reason or "an idle-class thread keeps each processor awake"
            runs.append(crowd(arguments))
    runs = [run for run in runs if run]
    result = {"processors_are": reason, "runs": runs, "met": sum(run["met"] for run in runs)}
    for name in ("p50_us", "p99_us"):
        result[name] = statistics.median(run[name] for run in runs) if runs else None
    print(f"crowd, {reason}: p50 {result['p50_us']} us, p99 {result['p99_us']} us (medians); "
          f"met in {result['met']} of {len(runs)} runs; p99 of each: {[run['p99_us'] for run in runs]}", flush=True)
    return result


def attacks(arguments, seconds):
    command = [sys.executable, HERE / "attacks.py", "--build", arguments.build, "--results", arguments.results,
               "--rounds", str(arguments.rounds), "--samples", str(arguments.samples), "--limit", str(seconds),
               *(["--alone-here"] if arguments.alone_here else []),
               *(["--only", arguments.only] if arguments.only else [])]
    try:
        ended = subprocess.run(command, timeout=max(seconds + SPARE_SECONDS, 30))
    except subprocess.TimeoutExpired as error:
        print(f"attacks: {error}", file=sys.stderr)
        return None
    if ended.returncode != 0:
        return None
    return json.loads((arguments.results / "attacks.json").read_text())["verdict"]


def main():
    parser = options_parser(__doc__, "dev")
    parser.add_argument("--limit", type=int, default=290, help="seconds for all")
    parser.add_argument("--crowds", type=int, default=3, help="runs, with processors kept awake and left to sleep")
    parser.add_argument("--rounds", type=int, default=5, help="of attacks, as far as there is time")
    parser.add_argument("--samples", type=int, default=300, help="of each situation and round")
    parser.add_argument("--only", help="this attack alone")
    parser.add_argument("--alone-here", action="store_true", help="as of bench/attacks.py")
    parser.add_argument("--processors", type=lambda text: {int(one) for one in text.split(",")},
                        help="such as 2,4 (default: two of two cores)")
    arguments = parser.parse_args()
    began, stolen = time.monotonic(), stolen_seconds()
    arguments.results = arguments.results.resolve()
    packed = arguments.build / "VERSION"  # what scripts/pack_gpu.sh wrote
    if packed.exists():
        os.environ.setdefault(report.VERSION_VARIABLE, packed.read_text().strip())
    arguments.results.mkdir(parents=True, exist_ok=True)
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, arguments.processors or choose(every))
    result = {"what": "A server under load: bench/server_load.py",
              "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "commit": report.version(), "machine": f"{os.cpu_count()} processors, {report.cpu_model()}",
              "kernel": os.uname().release, "processors": sorted(os.sched_getaffinity(0)),
              "load_before": round(os.getloadavg()[0], 2)}
    print(f"{result['machine']}, on {result['processors']}; load {result['load_before']}", flush=True)
    result["crowd_awake"] = crowds(arguments, True)
    result["crowd"] = crowds(arguments, False)
    left = int(arguments.limit - (time.monotonic() - began)) - SPARE_SECONDS
    result["attacks"] = attacks(arguments, max(left, 1))
    result["stolen_s"] = round(stolen_seconds() - stolen, 2)
    result["took_s"] = round(time.monotonic() - began)
    path = arguments.results / "server_load.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(path)
    return 0 if result["attacks"] and result["crowd"]["runs"] else 2


if __name__ == "__main__":
    sys.exit(main())
