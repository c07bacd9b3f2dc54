"""4.2: two processes, high and low: both run, neither deadlocks, the high one gets what it needs."""
import time

from context import Outcome, by_gain
from lib import gain
from questions import main_job

ID, NAME, PASSES = "4.2", "two processes", "both run, no deadlock, high's bursts shorter than natively"
PATTERNS = {"cpu": "A", "gpu": "B"}  # where sharing natively costs most


def run(context):
    suite, length = context.suite, context.workload.lp_ms
    pattern = PATTERNS["cpu" if context.on_cpu else "gpu"]
    peers = [suite.peer("native"), suite.peer("xsched")]
    cells = 4 * (context.seconds + 4)
    found, _ = main_job.measure(suite, [pattern], [length], time.monotonic() + max(2 * cells, 30), peers)
    ratios = {name: found.ratio(name, pattern, length, "p50") for name in ("native", "xsched")}
    share = found.lp_share("xsched", pattern, length)
    alone, native, xsched = (found.cells[key].latency_us for key in
                             (("native", pattern, None), ("native", pattern, length), ("xsched", pattern, length)))
    judged = gain.judge(alone, native, xsched, share, "its rate alone, outside high's bursts")
    status, doubt = by_gain(judged, not found.failures)
    metrics = {**found.metrics(), "high_p50_of_alone": ratios, "low_share_outside_bursts": share,
               "results_exact": found.exact, "judged": judged.says}
    return Outcome(status, metrics, [sentence for _, sentence in found.failures] or
                   [f"pattern {pattern}: {context.workload.patterns[pattern][0]}"],
                   judged.says, timing=not found.failures, doubts=[doubt])
