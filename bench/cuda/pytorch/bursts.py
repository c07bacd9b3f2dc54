"""Bursts of a program at fixed times, as bench/cuda/neighbours has them: what PyTorch's urgent programs share."""
import argparse
import time


def parse(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--bursts", type=int, required=True)
    parser.add_argument("--period-ms", type=float, default=10)
    return parser.parse_args()


def run(options, burst):
    """Prints "ready", and writes a row for each burst, as lib/neighbour_rows.py has them: begin (CLOCK_MONOTONIC ns),
    its latency, and what `burst` returns."""
    rows, period_ns = [], round(options.period_ms * 1e6)
    print("ready", flush=True)
    due = time.monotonic_ns()
    for _ in range(options.bursts):
        due += period_ns
        time.sleep(max(due - time.monotonic_ns(), 0) / 1e9)
        begin = time.monotonic_ns()
        due = max(due, begin)
        more = burst()
        rows.append([begin, time.monotonic_ns() - begin, *more])
    with open(options.out, "w", encoding="utf-8") as out:
        out.writelines(" ".join(map(str, row)) + "\n" for row in rows)
