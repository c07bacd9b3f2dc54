#!/usr/bin/env python3
"""The cost of a preloaded library for each process that never uses it: the time to run /bin/true, with and without.

  exec_cost.py --library LIB [--limit-ms N]

Runs in turns, compares medians. Fails only far above what linking three small libraries takes.
"""

import argparse
import os
import statistics
import subprocess
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--library", required=True)
parser.add_argument("--limit-ms", type=float, default=10)
parser.add_argument("--rounds", type=int, default=40)
arguments = parser.parse_args()

plain = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
ours = dict(plain, LD_PRELOAD=arguments.library)
times = {"plain": [], "ours": []}
for _ in range(arguments.rounds):
    for name, environment in (("plain", plain), ("ours", ours)):
        begin = time.monotonic()
        subprocess.run(["/bin/true"], env=environment, check=True, timeout=30)
        times[name].append((time.monotonic() - begin) * 1000)
added = statistics.median(times["ours"]) - statistics.median(times["plain"])
print(f"/bin/true takes {statistics.median(times['plain']):.2f} ms, with the library {added:.2f} ms more")
if added > arguments.limit_ms:
    raise SystemExit(f"FAILED: the limit is {arguments.limit_ms:g} ms")
