#!/usr/bin/env python3
"""`xsim property` on many processors: random sequences of every policy, and what failed, by seed.

    bench/sequences.py --build build/release --budget 300                  100,000 brief sequences of each policy
    bench/sequences.py --seeds 2000 --long --policies LAX,AUTO --jobs 4    the long ones

Seeds go in pieces, all policies advancing alike, so that a run that its time ends has about as many of each. A piece
that has begun counts only when it has ended. Exit status 1 if a sequence failed or is missing.
"""
import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import report  # noqa: E402

PIECE = {False: 2000, True: 50}  # sequences of one process, brief and long: some seconds
NAME = "xsim_property.json"


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, help="where the JSON goes (BUILD/results)")
    parser.add_argument("--policies", help="names, with commas between them (all of the build)")
    parser.add_argument("--first", type=int, default=1, help="the first seed (1)")
    parser.add_argument("--seeds", type=int, default=100_000, help="of each policy (100,000)")
    parser.add_argument("--long", action="store_true", help="not the brief sequences")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time (one per processor)")
    parser.add_argument("--budget", type=float, default=3600, help="seconds in which pieces may still end")
    options = parser.parse_args()
    options.results = options.results or options.build / "results"
    return options


def environment_of(xsim):
    """A packed one (scripts/pack_gpu.sh) does not know where its libraries are."""
    return {**os.environ, "LD_LIBRARY_PATH": f"{xsim.parent.parent / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"}


def policies_of(xsim):
    """The names of all policies of the build: xsim names them when it is asked for one that there is not."""
    said = subprocess.run([xsim, "property", "--seeds", "1", "--policy", "no such"], text=True, capture_output=True,
                          env=environment_of(xsim))
    return said.stderr.partition("this build has ")[2].replace(",", " ").split()


def pieces(options, policies):
    """(policy, first seed, how many), the policies in turns."""
    size, end = PIECE[options.long], options.first + options.seeds
    return [(policy, first, min(size, end - first)) for first in range(options.first, end, size)
            for policy in policies]


class Runs:
    def __init__(self, xsim, brief, deadline):
        self.xsim, self.brief, self.deadline = xsim, brief, deadline
        self.environment = environment_of(xsim)
        self.broken = []

    def piece(self, policy, first, count):
        """Returns xsim's output for these seeds; None if there was no time."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            return policy, None
        command = [self.xsim, "property", "--json", "--policy", policy, "--first", str(first), "--seeds", str(count)]
        command += ["--brief"] if self.brief else []
        try:
            ended = subprocess.run(command, text=True, capture_output=True, timeout=left,
                                   env=self.environment)
            return policy, json.loads(ended.stdout)
        except subprocess.TimeoutExpired:
            return policy, None
        except ValueError:
            self.broken.append(f"{' '.join(map(str, command[1:]))}: status {ended.returncode}: {ended.stderr[-500:]}")
            return policy, None


def add_up(policies, found, asked):
    sums = {policy: {"runs": 0, "failed": 0, "longest_wait_ms": 0, "events": 0, "client_hours": 0, "processor_s": 0,
                     "failures": []} for policy in policies}
    for policy, said in found:
        if said is None:
            continue
        total = sums[policy]
        for key in ("runs", "failed", "events", "client_hours", "failures"):
            total[key] += said[key]
        total["processor_s"] += said["seconds"]
        total["longest_wait_ms"] = max(total["longest_wait_ms"], said["longest_wait_ms"])
    for total in sums.values():
        total["missing"] = asked - total["runs"]
    return sums


def table(sums):
    rows = [["policy", "sequences", "failed", "missing", "longest wait ms", "client-hours", "seeds that failed"]]
    rows += [[policy, f"{total['runs']:,}", str(total["failed"]), f"{total['missing']:,}",
              f"{total['longest_wait_ms']:.0f}", f"{total['client_hours']:.1f}",
              " ".join(str(each["seed"]) for each in total["failures"][:12]) or "-"] for policy, total in sums.items()]
    return report.table(rows)


def main():
    options = parse_options()
    xsim = options.build / "bin" / "xsim"
    if not xsim.exists():
        print(f"there is no {xsim}: build xsim", file=sys.stderr)
        return 2
    policies = options.policies.split(",") if options.policies else policies_of(xsim)
    if not policies:
        print(f"{xsim} names no policies: does it start?", file=sys.stderr)
        return 2
    began = time.monotonic()
    runs = Runs(xsim, not options.long, began + options.budget)
    with ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(lambda piece: runs.piece(*piece), pieces(options, policies)))
    sums = add_up(policies, found, options.seeds)
    seconds = time.monotonic() - began
    options.results.mkdir(parents=True, exist_ok=True)
    written = {"version": report.version(), "kind": "long" if options.long else "brief", "first_seed": options.first,
               "processes": options.jobs, "seconds": seconds, "policies": sums, "broken": runs.broken}
    (options.results / NAME).write_text(json.dumps(written, indent=1) + "\n")
    print(table(sums))
    for total in sums.values():
        for failure in total["failures"][:5]:
            print(f"{failure['policy']} seed {failure['seed']}: {'; '.join(failure['sentences'])}")
    for sentence in runs.broken[:5]:
        print(f"broken: {sentence}")
    all_runs = sum(total["runs"] for total in sums.values())
    print(f"{all_runs:,} sequences in {seconds:.0f} s by {options.jobs} processes, "
          f"{sum(total['events'] for total in sums.values()) / max(seconds, 1e-9) / 1e6:.1f} million events/s")
    good = not runs.broken and all(total["failed"] == 0 and total["missing"] == 0 for total in sums.values())
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
