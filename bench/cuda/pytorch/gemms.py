#!/usr/bin/env python3
"""Bursts of matrix products, each of which takes every multiprocessor as a whole, and of a wait behind each.

    gemms.py --out FILE --bursts N [--period-ms MS]

An ordinary PyTorch program. Prints "ready" and writes a row for each burst, as lib/neighbour_rows.py has them: begin
(CLOCK_MONOTONIC ns), its latency, 0, what launching took, what each round took (ns). Exit status 1: a result is another
than the first."""
import sys
import time

import bursts
import torch

ROUNDS = 20
ROWS, COLUMNS, DEPTH = 4096, 4096, 1024


def main():
    options = bursts.parse(__doc__)
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
        return 0, launches, *rounds

    burst()
    expected = product.clone()
    bursts.run(options, burst)
    return 0 if torch.equal(product, expected) else 1


if __name__ == "__main__":
    sys.exit(main())
