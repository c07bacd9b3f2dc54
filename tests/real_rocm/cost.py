"""The cost that XSched adds to a launch on AMD's runtime, in its thread's processor time, while nobody competes: a
measurement, not a test. Native runs and runs under XSched take turns."""
import json
import os
import re
import statistics
import subprocess
import time

ROUNDS, BATCHES = 15, 300
ROW = re.compile(r"^([\d.]+) ([\d.]+)$", re.M)
LIMIT_NS = 150
SOCKET = "/run/xserver.sock"


def ways(room, code):
    """Programs of each run; the last one is measured."""
    words = ["/programs/launch_cost", code, BATCHES]
    server = room.program([room.build / "bin/xserver", "HPF"], background=True, head_start=0.3, LD_PRELOAD=None,
                          XSCHED_SOCKET=SOCKET)
    return {"native": [room.program(words)],
            "xserver": [server, room.program(words, preload=True, XSCHED_SOCKET=SOCKET)],
            "local": [room.program(words, preload=True, XSCHED_SCHEDULER="local")]}


def one_run(room, programs):
    """Of its batches, nanoseconds for a launch: the tenth percentile of the thread's processor time, which other
    programs disturb least, and medians of that time and by the clock."""
    ended = room.run_together(programs)[-1]
    rows = [(float(cpu), float(clock)) for cpu, clock in ROW.findall(ended.output)]
    if ended.status != 0 or len(rows) < 0.9 * BATCHES:  # what the runtime says at its end may stand in a row
        raise RuntimeError(f"{ended.how}: {ended.output[-800:]}")
    cpu, clock = zip(*rows)
    return statistics.quantiles(cpu, n=10)[0], statistics.median(cpu), statistics.median(clock)


def spread(values):
    return {"median_ns": round(statistics.median(values), 1), "least_ns": round(min(values), 1),
            "most_ns": round(max(values), 1)}


def measure(room, code, rounds=ROUNDS):
    """{way: {cpu, clock, added: spreads}}; what a way adds is taken within each round."""
    found = {name: [] for name in ways(room, code)}
    for number in range(rounds):
        names = list(found)
        for name in names[number % len(names):] + names[:number % len(names)]:
            found[name].append(one_run(room, ways(room, code)[name]))
    result = {}
    for name, runs in found.items():
        added = [own[0] - native[0] for own, native in zip(runs, found["native"])]
        result[name] = {what: spread([run[at] for run in runs])
                        for at, what in enumerate(("cpu_tenth_percentile", "cpu", "clock"))}
        if name != "native":
            result[name]["added_cpu"] = spread(added)
    return result


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(": ", 1)[1].strip() for line in file if line.startswith("model name")), "?")


def write(path, version, metrics, top):
    """Into the file, beside what it has of the other version."""
    known = json.loads(path.read_text()) if path.exists() else {}
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=top, text=True, capture_output=True)
    known.update({"test_id": "hip_launch_cost_real_runtimes",
                  "test_name": "What XSched adds to a launch on AMD's runtimes",
                  "limit": f"added_cpu (of tenth percentiles) at most {LIMIT_NS} ns, at the median"})
    known.setdefault("runtimes", {})[version.runtime] = {
        "date": time.strftime("%Y-%m-%d %H:%M:%S"), "xsched_version": commit.stdout.strip(),
        "hardware": f"an emulated kernel driver, no AMD hardware; {processor()}, {os.cpu_count()} processors",
        "load_average": round(os.getloadavg()[0], 1), "rounds": ROUNDS, "batches": BATCHES, "ways": metrics}
    path.write_text(json.dumps(known, indent=1) + "\n")
