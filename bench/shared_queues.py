#!/usr/bin/env python3
"""An urgent stream beside a busy one of the same process, among 2, 5 and 33 made streams, on the HIP runtime's
stand-in:
bursts' p50 and p99, with the shim, and of the urgent stream alone. It does not use AMD hardware.

    bench/shared_queues.py [--build build/dev] [--bursts 300] [--level 3]

One row for each way in which the runtime may map streams to hardware queues, and in which XSched may know of it:
static or dynamic; observed by the HSA runtime's table, or only counted."""
import argparse
import os
import subprocess
import sys
from pathlib import Path

# (streams made, the busy one's number): the last two share the first one's hardware queue where nothing moves.
CASES = [(2, 2), (5, 5), (33, 9)]
MODES = {
    "static, observed": {"FAKE_HIP_HSA": "libfakehsa.so", "FAKE_HSA_LOCAL": "1"},
    "static, counted": {},
    "dynamic, observed": {"FAKE_HIP_HSA": "libfakehsa.so", "FAKE_HSA_LOCAL": "1", "FAKE_HIP_DYNAMIC_QUEUES": "1"},
    "dynamic, counted": {"FAKE_HIP_DYNAMIC_QUEUES": "1", "DEBUG_HIP_DYNAMIC_QUEUES": "2"},
}


def run(options, mode, made, which):
    """p50 and p99 of the bursts and the median round of the busy stream, in milliseconds."""
    library = options.build / "lib"
    preload = [library / "libshimhip.so"]
    extra = dict(MODES[mode])
    if options.level == 3:
        preload.append(library / "libfakekfd.so")
        extra |= {"FAKE_KFD": "1", "XSCHED_INTERRUPT": "1"}
    if "FAKE_HIP_HSA" in extra:
        extra["FAKE_HIP_HSA"] = str(library / extra["FAKE_HIP_HSA"])
    environment = {**os.environ, **extra, "LD_PRELOAD": ":".join(map(str, preload)),
                   "XSCHED_HIP_LIB": str(library / "libfakehip.so"), "XSCHED_SCHEDULER": "local",
                   "XSCHED_POLICY": "HPF", "XLOG_LEVEL": os.environ.get("XLOG_LEVEL", "WARN")}
    program = options.build / "bench" / "hip" / "shared_queues"
    done = subprocess.run([program, str(made), str(which), str(options.bursts), str(options.level)], env=environment,
                          text=True, stdout=subprocess.PIPE, timeout=120, check=True)
    return [float(word) for word in done.stdout.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/dev"))
    parser.add_argument("--bursts", type=int, default=300)
    parser.add_argument("--level", type=int, default=0)
    parser.add_argument("--modes", nargs="*", default=list(MODES))
    parser.add_argument("--made", type=int, nargs="*", default=[made for made, _ in CASES], help="streams made")
    options = parser.parse_args()
    print("stand-in runtime, not AMD hardware; milliseconds")
    print(f"{'mapping':20} {'made':>4} {'alone p50':>9} {'p99':>7} {'p50':>8} {'p99':>8} {'x p50':>6} {'x p99':>6} "
          f"{'busy round':>10}")
    for mode in options.modes:
        for made, which in [case for case in CASES if case[0] in options.made]:
            alone = run(options, mode, made, 0)
            both = run(options, mode, made, which)
            print(f"{mode:20} {made:4} {alone[0]:9.2f} {alone[1]:7.2f} {both[0]:8.2f} {both[1]:8.2f} "
                  f"{both[0] / alone[0]:6.2f} {both[1] / alone[1]:6.2f} {both[2]:10.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
