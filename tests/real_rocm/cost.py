"""The cost that XSched adds to a launch on AMD's runtime, in its thread's processor time, without competition: a
measurement, not a test. Each program launches by the runtime's own function and by the one that it is linked to in
turns, so that both have the same memory and the same neighbours. A program without XSched shows the method's error.

Where other machines share the processors, everything takes up to twice as long for seconds, and what is added too. So
those pairs count that took the least time together: that choice favours neither of the two."""
import json
import os
import re
import statistics
import subprocess
import time

ROUNDS, PAIRS, COUNTED = 15, 400, 40
ROW = re.compile(r"^([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+)$", re.M)
LIMIT_NS = 150
SOCKET = "/run/xserver.sock"


def ways(room, code):
    """Programs of each run; the last one is measured."""
    words = ["/programs/launch_cost", code, PAIRS]
    server = room.program([room.build / "bin/xserver", "HPF"], background=True, head_start=0.3, LD_PRELOAD=None,
                          XSCHED_SOCKET=SOCKET)
    return {"native": [room.program(words)],
            "xserver": [server, room.program(words, preload=True, XSCHED_SOCKET=SOCKET)],
            "local": [room.program(words, preload=True, XSCHED_SCHEDULER="local")]}


def one_run(room, programs):
    """Medians over the pairs that count, nanoseconds for a launch: the runtime's by processor time, and what is added
    to it by processor time and by the clock; and over all pairs what is added by processor time."""
    ended = room.run_together(programs)[-1]
    rows = [tuple(map(float, row)) for row in ROW.findall(ended.output)]
    if ended.status != 0 or len(rows) < 0.9 * PAIRS:  # what the runtime says at its end may stand in a row
        raise RuntimeError(f"{ended.how}: {ended.output[-800:]}")
    counted = sorted(rows, key=lambda row: row[0] + row[1])[:COUNTED]
    return {"runtime_cpu": statistics.median(row[0] for row in counted),
            "added_cpu": statistics.median(row[1] - row[0] for row in counted),
            "added_clock": statistics.median(row[3] - row[2] for row in counted),
            "added_cpu_of_all": statistics.median(row[1] - row[0] for row in rows)}


def spread(values):
    return {"median_ns": round(statistics.median(values), 1), "least_ns": round(min(values), 1),
            "most_ns": round(max(values), 1)}


def measure(room, code, rounds=ROUNDS):
    """{way: {what one_run returns: its spread over the rounds}}"""
    found = {name: [] for name in ways(room, code)}
    for number in range(rounds):
        names = list(found)
        for name in names[number % len(names):] + names[:number % len(names)]:
            found[name].append(one_run(room, ways(room, code)[name]))
    return {name: {what: spread([run[what] for run in runs]) for what in runs[0]} for name, runs in found.items()}


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(": ", 1)[1].strip() for line in file if line.startswith("model name")), "?")


def write(path, version, metrics, top):
    """Into the file, beside what it has of the other version."""
    known = json.loads(path.read_text()) if path.exists() else {}
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=top, text=True, capture_output=True)
    known.update({"test_id": "hip_launch_cost_real_runtimes",
                  "test_name": "What XSched adds to a launch on AMD's runtimes",
                  "limit": f"added_cpu at most {LIMIT_NS} ns, at the median"})
    known.setdefault("runtimes", {})[version.runtime] = {
        "date": time.strftime("%Y-%m-%d %H:%M:%S"), "xsched_version": commit.stdout.strip(),
        "hardware": f"an emulated kernel driver, no AMD hardware; {processor()}, {os.cpu_count()} processors",
        "load_average": round(os.getloadavg()[0], 1),
        "rounds": ROUNDS, "pairs": PAIRS, "pairs_counted": COUNTED, "ways": metrics}
    path.write_text(json.dumps(known, indent=1) + "\n")
