"""2.1: 100 low kernels in the background, a high one, as long as they are, every 500 ms."""
from collections import defaultdict

from context import Outcome, in_turns, verdict
from lib import intervals, report
from lib.requests import latency_us

ID, NAME, PASSES = "2.1", "fixed priority", "high P99 < 1 s, and 1.3 x alone on a GPU; low not starved"
LOW_KERNELS, PERIOD_MS, MOST_P99_MS = 100, 500, 1000
MOST_OF_ALONE = 1.3     # where the device is no processor, whose P99 is the machine's own tail
KERNEL_MS = 10
LEAST_HIGH = 8          # of each way
LEAST_LOW_SHARE = 0.3   # of its rate alone: not starved


def start_low(context, steps, prefix):
    low = context.session.start("lp", {"steps": steps, "depth": LOW_KERNELS, "until-eof": 1, "seconds": 300}, prefix)
    low.wait_ready(context.progress)
    return low


def run(context):
    steps = context.session.calibrate(KERNEL_MS, 1)
    seconds = max(context.seconds, LEAST_HIGH * PERIOD_MS / 1e3)
    high_us, low_rate = defaultdict(list), {}
    for _, way in in_turns(1, ("alone", "native", "xsched")):
        prefix = context.xsched if way == "xsched" else context.native
        context.progress.doing(f"2.1 {way}")
        low = None if way == "alone" else start_low(context, steps, prefix("lp"))
        high = context.session.start("hp", {"steps": steps, "burst-kernels": 1, "pause-ms": PERIOD_MS,
                                            "seconds": seconds}, prefix("hp"))
        high.wait_ready(context.progress)
        high_us[way] = latency_us(high.finish(context.progress, seconds + 10))
        if low:
            low_rate[way] = intervals.rate([row[0] for row in low.finish(context.progress, 20)])
    low = start_low(context, steps, context.native("lp"))
    context.progress.wait(context.seconds)
    low_rate["alone"] = intervals.rate([row[0] for row in low.finish(context.progress, 20)])
    p99 = report.percentile(high_us["xsched"], 99)
    of_alone = p99 / report.percentile(high_us["alone"], 99)
    share = low_rate["xsched"] / low_rate["alone"]
    good = p99 < MOST_P99_MS * 1e3 and share >= LEAST_LOW_SHARE and (context.on_cpu or of_alone <= MOST_OF_ALONE)
    metrics = {"high_us": {way: report.summary(values) for way, values in high_us.items()},
               "high_p99_of_alone": of_alone,
               "low_kernels_per_s": low_rate, "low_share_of_alone": share}
    return Outcome(verdict(good), metrics,
                   [f"{LOW_KERNELS} kernels of {KERNEL_MS} ms enqueued, one more, of high, every {PERIOD_MS} ms"],
                   f"high P99 {p99 / 1e3:.2f} ms, {of_alone:.2f} x alone (native "
                   f"{report.percentile(high_us['native'], 99) / 1e3:.2f}), low keeps {share * 100:.0f}%",
                   looser=context.looser(f"high's P99 below {MOST_P99_MS} ms is enough; a GPU's is at most "
                                         f"{MOST_OF_ALONE} times its P99 alone besides"), timing=True)
