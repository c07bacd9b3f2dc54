"""Parts that the programs of this folder share: they load, say "ready", and then measure as often as they are told to.

Started by hand, a program measures once, for --seconds, and prints one JSON line. With --turns it waits for lines of
standard input instead: each is a number of seconds, and is answered by one JSON line. An empty line ends it."""
import argparse
import json
import sys
import time


def percentile(values, percent):
    """Returns the measured value below which so many percent of all are."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def in_ms(values):
    """p50, p99 and longest of times in seconds, as milliseconds."""
    if not values:
        return {"count": 0}
    return {"p50": round(percentile(values, 50) * 1e3, 3), "p99": round(percentile(values, 99) * 1e3, 3),
            "max": round(max(values) * 1e3, 3), "count": len(values)}


def rate_of(step, seconds):
    """Steps a second of a program that is always busy. `step` does one and returns when the device has ended it."""
    begin = now = time.monotonic()
    done = 0
    while now - begin < seconds:
        step()
        done += 1
        now = time.monotonic()
    return {"steps_per_second": round(done / (now - begin), 3)}


def run(measure, description):
    """`measure(seconds)` returns what was measured, as a dictionary."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--turns", action="store_true", help="measure when a line of standard input says how long")
    options, _ = parser.parse_known_args()  # a program may have options of its own
    print("ready", flush=True)
    if not options.turns:
        print(json.dumps(measure(options.seconds)))
        return
    while line := sys.stdin.readline().strip():
        print(json.dumps(measure(float(line))), flush=True)
