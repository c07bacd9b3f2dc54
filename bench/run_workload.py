#!/usr/bin/python3
"""Runs a workload of xsim (docs/xsim.md) on this machine's device, with the benchmarks' own programs.

    bench/run_workload.py --build build/release bench/workloads/main_job_b.toml [--native] [--json]

A workload that these programs cannot do is refused with a sentence: kernels and gaps of random length, several queues,
Poisson and modulated arrivals, hints other than the priority. Exit status 0, or 2 if nothing could be run.
"""
import argparse
import json
import sys
import time
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import backend as backends  # noqa: E402
from lib import programs  # noqa: E402
from lib.progress import Progress  # noqa: E402

UNITS = {"_s": 1e3, "_ms": 1.0, "_us": 1e-3}
KNOWN = {"name", "count", "priority", "level", "hints", "arrival", "burst", "depth", "queues", "device"}


class Refused(Exception):
    pass


def milliseconds(table, stem, fallback=None):
    """[least, most] of the time under `stem` with its unit."""
    for suffix, unit in UNITS.items():
        if stem + suffix in table:
            value = table[stem + suffix]
            least, most = value if isinstance(value, list) else (value, value)
            return [least * unit, most * unit]
    return fallback


def fixed(table, stem, fallback, what):
    value = milliseconds(table, stem, fallback)
    if value[0] != value[1]:
        raise Refused(f"{what} of random length: these programs have one length")
    return value[0]


def plan(program):
    """(program, its options without --steps, the length of its kernels in ms, its priority)"""
    name = program.get("name", "program")
    unknown = set(program) - KNOWN
    hints = dict(program.get("hints", {}))
    priority = program.get("priority", hints.pop("priority", 0))
    if unknown or hints or program.get("queues", 1) != 1 or program.get("device", 0) != 0:
        what = ", ".join(sorted(unknown | set(hints))) or "several queues or devices"
        raise Refused(f"program {name}: {what}: only the simulator can")
    arrival, burst = program.get("arrival", {}), program.get("burst", {})
    kernel_ms = fixed(burst, "kernel", [1, 1], "kernels")
    kind = arrival.get("kind", "closed")
    if kind == "stream":
        return "lp", {"depth": program.get("depth", 16)}, kernel_ms, priority
    kernels = burst.get("kernels", 1)
    if isinstance(kernels, list) or kind not in ("closed", "periodic"):
        raise Refused(f"program {name}: {kind} arrivals, or bursts of random length: only the simulator can")
    options = {"burst-kernels": kernels, "sync-every": burst.get("sync_every", 0),
               "gap-us": fixed(burst, "gap", [0, 0], "gaps") * 1000}
    if announce := milliseconds(arrival, "announce"):
        options["announce-ms"] = announce[0]
    if kind == "periodic":
        options["period-ms"] = fixed(arrival, "period", [0, 0], "periods")
    else:
        options["pause-ms"], options["pause-max-ms"] = milliseconds(arrival, "think", [0, 0])
    return "hp", options, kernel_ms, priority


def summary(rows, seconds):
    if rows and len(rows[0]) == 1:
        return {"kernels_per_s": len(rows) / seconds}
    latency = sorted(row[1] / 1e3 for row in rows)
    if not latency:
        return {"bursts": 0}
    at = {f"p{part}": latency[round(part / 100 * (len(latency) - 1))] for part in (50, 95, 99)}
    return {"bursts": len(latency), **at, "max": latency[-1]}


def run(session, workload, native):
    seconds = (milliseconds(workload, "duration", [10_000, 0])[0]) / 1e3
    backend = backends.choose(session.build, session.environment)
    session.programs = backend.programs
    planned = [(program, *plan(program)) for program in workload["program"] for _ in range(program.get("count", 1))]
    steps = {ms: session.calibrate(ms) for ms in {kernel_ms for _, _, _, kernel_ms, _ in planned}}
    progress = Progress(seconds + 10)
    started = []
    for number, (program, binary, options, kernel_ms, priority) in enumerate(planned):
        prefix = [] if native else session.under_xsched("--priority", str(priority), "--policy",
                                                        workload.get("policy", "HPF"))
        options = {**options, "steps": steps[kernel_ms], "seed": workload.get("seed", 1) + number,
                   "seconds": 3600, "until-eof": 1}
        running = session.start(binary, options, prefix)
        running.wait_ready(progress)
        started.append((program.get("name", "program"), running))
    time.sleep(seconds)
    results = [(name, running.finish(progress, 30)) for name, running in started]
    progress.done()
    return backend.device, [{"name": name, **summary(rows, seconds)} for name, rows in results]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload", type=Path)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--native", action="store_true", help="without XSched")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    try:
        workload = tomllib.loads(arguments.workload.read_text())
        with programs.Session(arguments.build) as session:
            device, found = run(session, workload, arguments.native)
    except (OSError, ValueError, KeyError, LookupError, Refused, programs.ProgramFailed) as error:
        print(f"run_workload: {error}", file=sys.stderr)
        return 2
    if arguments.json:
        print(json.dumps({"device": device, "by": "native" if arguments.native else "xsched", "programs": found},
                         indent=2))
        return 0
    print(f"{device}, {'native' if arguments.native else 'XSched'}")
    for each in found:
        print("  ".join(f"{key} {value:.1f}" if isinstance(value, float) else f"{key} {value}"
                        for key, value in each.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
