"""4.2: two processes, high and low: both run, nobody deadlocks, the high one gets what it needs."""
import time

from context import Outcome, verdict
from lib import verdict as judging
from questions import main_job

ID, NAME, PASSES = "4.2", "two processes", "both run, no deadlock, high gets what it needs"
PATTERNS = {"cpu": "A", "gpu": "B"}  # where sharing natively costs most
MOST_RATIO = 1.9      # high's p50 of alone
LEAST_LOW = 0.5       # of its rate alone, outside high's bursts


def run(context):
    suite, length = context.suite, context.workload.lp_ms
    pattern = PATTERNS["cpu" if context.on_cpu else "gpu"]
    peers = [suite.peer("native"), suite.peer("xsched")]
    cells = 4 * (context.seconds + 4)
    found, _ = main_job.measure(suite, [pattern], [length], time.monotonic() + max(2 * cells, 30), peers)
    ratios = {name: found.ratio(name, pattern, length, "p50") for name in ("native", "xsched")}
    share = found.lp_share("xsched", pattern, length)
    good = (not found.failures and ratios["xsched"] is not None and ratios["xsched"] <= MOST_RATIO
            and (share or 0) >= LEAST_LOW)
    metrics = {**found.metrics(), "high_p50_of_alone": ratios, "low_share_outside_bursts": share,
               "results_exact": found.exact}
    return Outcome(verdict(good), metrics, [sentence for _, sentence in found.failures] or
                   [f"pattern {pattern}: {context.workload.patterns[pattern][0]}"],
                   f"high p50 {ratios['xsched'] or 0:.2f} x alone (native {ratios['native'] or 0:.2f}), low keeps "
                   f"{(share or 0) * 100:.0f}%", timing=not found.failures,
                   doubts=[judging.doubt_of_ratios(*ratios.values())] if None not in ratios.values() else [])
