"""P4: ResNet-18, urgent, and ResNet-50 together.

What is asked is how the device is shared. So the models are large enough to wait for the device and not for the
processor, and ResNet-18 has the same requests in every run: one each period. If it made a pause of fixed length after
each answer, it would answer more of them the sooner it gets the device. ResNet-50 would pay for those too."""
from collections import defaultdict

from context import Outcome, in_turns, verdict
from lib import report, requests
from lib import verdict as judging

ID, NAME, PASSES = "P4", "dual model", "high's P99 lower than native, low within 3%"
HIGH, LOW, ROUNDS, BATCH = "resnet18", "resnet50", 2, 64
HIGH_LOAD = {"models": 0.25, "stand-ins": 0.1}
LOOK_SECONDS = 1
# Of native. Where the device is the processor its P99 is the processor's: then the median counts.
MOST_LATENCY = {"models": 0.8, "stand-ins": 1}
LEAST_LOW = {"models": 0.97, "stand-ins": 0.5}
USER_MEASURED = {"high_p99_ms": [3.47, 2.75], "high_max_percent": -71.3, "low_per_s": [165.4, 163.5]}


def measure(context, served, load):
    """High's latencies (us) and low's rates (1/s), by way; and high's period (ms)."""
    latency_us, low_rate = defaultdict(list), defaultdict(list)
    context.progress.doing("P4: how long a request takes")
    period_ms = requests.p50_ms(served.alone(HIGH, context.native("hp"), LOOK_SECONDS)) / load
    pace = requests.every(period_ms)
    for _, way in in_turns(ROUNDS, ("alone", "native", "xsched")):
        context.progress.doing(f"P4 {way}")
        prefix = context.xsched if way == "xsched" else context.native
        if way == "alone":
            latency_us[way] += requests.latency_us(served.alone(HIGH, prefix("hp"), context.seconds, pace))
            continue
        high, low = served.together((HIGH, prefix("hp"), pace, None), (LOW, prefix("lp"), requests.BUSY, None),
                                    context.seconds)
        latency_us[way] += requests.latency_us(high)
        low_rate[way].append(requests.rate(low, *requests.span(high)))
    return latency_us, low_rate, period_ms


def run(context):
    served = requests.Requests(context.session, context.progress, context.workload, context.requests.torch, BATCH)
    kind = "models" if served.torch else "stand-ins"
    latency_us, low_rate, period_ms = measure(context, served, HIGH_LOAD[kind])
    summaries = {way: report.summary(values) for way, values in latency_us.items()}
    low = {way: sum(rates) / len(rates) for way, rates in low_rate.items()}
    p50, p99 = (summaries["xsched"][which] / summaries["native"][which] for which in ("p50", "p99"))
    kept = low["xsched"] / low["native"] if low["native"] else 0
    metrics = {"high_us": summaries, "high_period_ms": period_ms, "low_per_s": low, "low_per_s_by_round": low_rate,
               "high_p50_of_native": p50, "high_p99_of_native": p99, "low_of_native": kept,
               "high_max_of_native": summaries["xsched"]["max"] / summaries["native"]["max"],
               "user_measured": USER_MEASURED}
    ratios = [summaries[way]["p50"] / summaries["alone"]["p50"] for way in ("native", "xsched")]
    sooner = (p50 if context.on_cpu else p99) <= MOST_LATENCY[kind]
    return Outcome(verdict(sooner and kept >= LEAST_LOW[kind]), metrics, [served.says],
                   f"high P99 {summaries['native']['p99'] / 1e3:.2f} -> {summaries['xsched']['p99'] / 1e3:.2f} ms, low "
                   f"{low['native']:.1f} -> {low['xsched']:.1f}/s; P50 {ratios[0]:.2f} -> {ratios[1]:.2f} x alone",
                   looser=context.looser(f"high's P50 at most {MOST_LATENCY[kind]:g} times native's, low keeps "
                                         f"{LEAST_LOW[kind] * 100:.0f}%; models on a GPU: P99 at most "
                                         f"{MOST_LATENCY['models']:g} times, {LEAST_LOW['models'] * 100:.0f}%"),
                   timing=True, doubts=[judging.doubt_of_ratios(*ratios)])
