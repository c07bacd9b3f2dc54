"""3.1: what XSched costs a model alone: ResNet-18, batches of 32, 100 iterations."""
import statistics
from collections import defaultdict

from context import Outcome, in_turns, verdict
from lib.requests import latency_us

ID, NAME, PASSES = "3.1", "runtime overhead", "< 10% (the paper: < 3.4%)"
MODEL, BATCH, ITERATIONS, ROUNDS = "resnet18", 32, 100, 3
MOST_PERCENT, PAPER_PERCENT = 10, 3.4


def run(context):
    requests, found = context.requests, defaultdict(list)
    for _, way in in_turns(ROUNDS, ("native", "xsched")):
        context.progress.doing(f"3.1 {way}")
        prefix = (context.native if way == "native" else context.xsched)("lp")
        rows = requests.alone(MODEL, prefix, 120, count=ITERATIONS, batch=BATCH)
        found[way].append(sum(latency_us(rows)) / len(rows))
    native, xsched = (statistics.median(found[way]) for way in ("native", "xsched"))
    added = (xsched / native - 1) * 100
    return Outcome(verdict(added < MOST_PERCENT), {"us_per_iteration": dict(found), "overhead_percent": added,
                                                   "paper_percent": PAPER_PERCENT, "iterations": ITERATIONS},
                   [f"{requests.title(MODEL)}, batch {BATCH}" if requests.torch else requests.says,
                    f"medians of {ROUNDS} interleaved rounds"],
                   f"{added:+.2f}% ({native / 1e3:.2f} -> {xsched / 1e3:.2f} ms)", timing=True)
