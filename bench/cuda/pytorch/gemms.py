#!/usr/bin/env python3
"""Bursts of matrix products, each of which takes every multiprocessor as a whole, and of a wait behind each.

    gemms.py --out FILE --bursts N [--period-ms MS]

An ordinary PyTorch program. Prints "ready" and writes a row for each burst, as lib/neighbour_rows.py has them: begin
(CLOCK_MONOTONIC ns), its latency, 0, what launching took, what each round took (ns). Exit status 1: a result is another
than the first."""
import argparse
import sys
import time

import torch

ROUNDS = 20
ROWS, COLUMNS, DEPTH = 4096, 4096, 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--bursts", type=int, required=True)
    parser.add_argument("--period-ms", type=float, default=10)
    options = parser.parse_args()
    torch.manual_seed(1)
    left = torch.randn(ROWS, DEPTH, device="cuda", dtype=torch.bfloat16)
    right = torch.randn(DEPTH, COLUMNS, device="cuda", dtype=torch.bfloat16)
    product = torch.empty(ROWS, COLUMNS, device="cuda", dtype=torch.bfloat16)
    stream = torch.cuda.current_stream()

    def burst():
        launches, rounds = 0, []
        for _ in range(ROUNDS):
            begin = time.monotonic_ns()
            torch.matmul(left, right, out=product)
            launches += time.monotonic_ns() - begin
            stream.synchronize()
            rounds.append(time.monotonic_ns() - begin)
        return launches, rounds

    burst()
    expected = product.clone()
    rows, period_ns = [], round(options.period_ms * 1e6)
    print("ready", flush=True)
    due = time.monotonic_ns() + period_ns
    for _ in range(options.bursts):
        time.sleep(max(due - time.monotonic_ns(), 0) / 1e9)
        begin = time.monotonic_ns()
        launches, rounds = burst()
        rows.append([begin, time.monotonic_ns() - begin, 0, launches, *rounds])
        due += period_ns
    with open(options.out, "w", encoding="utf-8") as out:
        out.writelines(" ".join(map(str, row)) + "\n" for row in rows)
    return 0 if torch.equal(product, expected) else 1


if __name__ == "__main__":
    sys.exit(main())
