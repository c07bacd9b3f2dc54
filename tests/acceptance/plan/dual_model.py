"""P4: ResNet-18, urgent, and ResNet-50 together."""
from collections import defaultdict

from context import Outcome, in_turns, verdict
from lib import report, requests

ID, NAME, PASSES = "P4", "dual model", "high's P99 lower than native, low within 3%"
HIGH, LOW, PAUSE_MS, ROUNDS = "resnet18", "resnet50", 10, 2
MOST_P99 = {"models": 0.8, "stand-ins": 1.0}    # of native
LEAST_LOW = {"models": 0.97, "stand-ins": 0.8}  # of native
USER_MEASURED = {"high_p99_ms": [3.47, 2.75], "high_max_percent": -71.3, "low_per_s": [165.4, 163.5]}


def run(context):
    found, low_rate = defaultdict(list), defaultdict(list)
    for _, way in in_turns(ROUNDS, ("alone", "native", "xsched")):
        context.progress.doing(f"P4 {way}")
        prefix = context.xsched if way == "xsched" else context.native
        if way == "alone":
            found[way] += requests.latency_us(context.requests.alone(HIGH, prefix("hp"), context.seconds, PAUSE_MS))
            continue
        high, low = context.requests.together((HIGH, prefix("hp"), PAUSE_MS, None), (LOW, prefix("lp"), 0, None),
                                              context.seconds)
        found[way] += requests.latency_us(high)
        low_rate[way].append(requests.rate(low, *requests.span(high)))
    summaries = {way: report.summary(values) for way, values in found.items()}
    low = {way: sum(rates) / len(rates) for way, rates in low_rate.items()}
    kind = "models" if context.requests.torch else "stand-ins"
    p99 = summaries["xsched"]["p99"] / summaries["native"]["p99"]
    kept = low["xsched"] / low["native"] if low["native"] else 0
    metrics = {"high_us": summaries, "low_per_s": low, "high_p99_of_native": p99, "low_of_native": kept,
               "high_max_of_native": summaries["xsched"]["max"] / summaries["native"]["max"],
               "user_measured": USER_MEASURED}
    return Outcome(verdict(p99 <= MOST_P99[kind] and kept >= LEAST_LOW[kind]), metrics, [context.requests.says],
                   f"high P99 {summaries['native']['p99'] / 1e3:.2f} -> {summaries['xsched']['p99'] / 1e3:.2f} ms, low "
                   f"{low['native']:.1f} -> {low['xsched']:.1f}/s")
