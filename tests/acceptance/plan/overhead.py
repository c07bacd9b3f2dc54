"""3.1: what XSched costs a model alone: ResNet-18, batches of 32, 100 iterations."""
import statistics
from collections import defaultdict

from context import Outcome, in_turns, verdict
from lib.requests import latency_us

ID, NAME, PASSES = "3.1", "runtime overhead", "< 10% (the paper: < 3.4%)"
MODEL, BATCH, ITERATIONS, ROUNDS = "resnet18", 32, 100, 3
MOST_PERCENT, PAPER_PERCENT = 10, 3.4
# Longest time for a program's iterations, so that six programs take two minutes (judgement). On a GPU they take some
# 2 s; on the emulated driver they took 4 s at a load of 10, and 40 s at a load of 30.
LONGEST_SECONDS = 20


def too_few(rows_of_rounds):
    """Returns a doubt, as a sentence, if a native program was too slow for all of its iterations; empty if not."""
    fewest = min(len(rows) for rows in rows_of_rounds)
    return f"a native program did {fewest} of {ITERATIONS} iterations in {LONGEST_SECONDS} s" if fewest < ITERATIONS \
        else ""


def run(context):
    requests, found = context.requests, defaultdict(list)
    for _, way in in_turns(ROUNDS, ("native", "xsched")):
        context.progress.doing(f"3.1 {way}")
        prefix = (context.native if way == "native" else context.xsched)("lp")
        found[way].append(requests.alone(MODEL, prefix, LONGEST_SECONDS, count=ITERATIONS, batch=BATCH))
    us = {way: [statistics.mean(latency_us(rows)) for rows in rounds] for way, rounds in found.items()}
    native, xsched = (statistics.median(us[way]) for way in ("native", "xsched"))
    added = (xsched / native - 1) * 100
    return Outcome(verdict(added < MOST_PERCENT), {"us_per_iteration": us, "overhead_percent": added,
                                                   "paper_percent": PAPER_PERCENT, "iterations": ITERATIONS},
                   [f"{requests.title(MODEL)}, batch {BATCH}" if requests.torch else requests.says,
                    f"medians of {ROUNDS} interleaved rounds"],
                   f"{added:+.2f}% ({native / 1e3:.2f} -> {xsched / 1e3:.2f} ms)", timing=True,
                   doubts=[too_few(found["native"])])
