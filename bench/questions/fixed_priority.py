"""A foreground model at 20 % load beside one that is always busy: the left half of the paper's figure 9."""
from collections import defaultdict

from lib import document, report, requests, rounds
from lib.guarded import Guarded
from lib.document import Document, percent, shown, time_text

NAME, WEIGHT = "fixed_priority", 14
LEAST_SECONDS = 1.0  # shorter ones of whole models say nothing
LOAD = 0.2
MOST_P99 = 1.3  # of alone: the paper's own foreground had 1.02 to 1.30


def model_of(suite):
    return "resnet152" if suite.profile.seconds >= 1 else "resnet18"


class Pair(Guarded):
    def __init__(self, suite):
        self.suite, self.model, self.seconds = suite, model_of(suite), suite.profile.seconds
        self.requests = requests.Requests(suite.session, suite.progress, suite.workload)
        self.latency_us = defaultdict(list)  # foreground's, by peer ("alone": alone)
        self.run_p50_us = defaultdict(list)  # one of each round
        self.rates = defaultdict(list)       # background's
        self.failures, self.period_ms = [], 0

    def look(self):
        """How long a request takes alone decides how often there is one."""
        prefix = self.suite.peer(self.suite.baseline).prefix("hp")
        rows = self.requests.alone(self.model, prefix, min(self.seconds, 2))
        self.period_ms = requests.p50_ms(rows) / LOAD

    def run_alone(self):
        prefix = self.suite.peer(self.suite.baseline).prefix

        def body():
            rows = self.requests.alone(self.model, prefix("hp"), self.seconds, requests.every(self.period_ms))
            self.add("alone", rows)

        def background():
            self.rates["alone"].append(requests.rate(self.requests.alone(self.model, prefix("lp"), self.seconds)))
        self.guarded("the foreground alone", body)
        self.guarded("the background alone", background)

    def run_shared(self, peer):
        def body():
            high, low = self.requests.together((self.model, peer.prefix("hp"), requests.every(self.period_ms), None),
                                               (self.model, peer.prefix("lp"), requests.BUSY, None), self.seconds)
            self.add(peer.name, high)
            self.rates[peer.name].append(requests.rate(low, *requests.span(high)))
        self.guarded(f"two models, {peer.title}", body)

    def add(self, name, rows):
        latency_us = requests.latency_us(rows)
        self.latency_us[name] += latency_us
        self.run_p50_us[name] += [report.percentile(latency_us, 50)] if latency_us else []

    def ratio(self, name, which):
        found, alone = self.latency_us.get(name), self.latency_us.get("alone")
        return report.percentile(found, which) / report.percentile(alone, which) if found and alone else None

    def kept(self, name):
        found, alone = self.rates.get(name), self.rates.get("alone")
        return sum(found) / len(found) / (sum(alone) / len(alone)) if found and alone and sum(alone) else None


def answer(suite, deadline):
    pair = Pair(suite)
    pair.look()
    peers = [peer for peer in suite.few_peers if not peer.streams]
    first = suite.most_compared(peers)
    plan = [[lambda number: pair.run_alone(), *(lambda number, peer=peer: pair.run_shared(peer) for peer in
                                                [*first, *(peer for peer in peers if peer not in first)])]]
    done = suite.run_rounds(pair, plan, deadline, LEAST_SECONDS, most_seconds=2 * suite.profile.seconds,
                            pace=rounds.Pace(2 * pair.requests.start_up_seconds))
    out = Document(NAME, "Two models, one of them urgent",
                   f"What becomes of a model at {LOAD * 100:.0f} % load beside the same model, always busy? (The "
                   "paper's figure 9, fixed priority.)")
    rows = [["", "foreground p50", "p99", "p99 / alone", "background, of alone"]]
    series = []
    for name, title in [("alone", "alone"), *((peer.name, peer.title) for peer in peers)]:
        found = pair.latency_us.get(name)
        if found:
            rows.append([title, time_text(report.percentile(found, 50)), time_text(report.percentile(found, 99)),
                         shown(pair.ratio(name, 99)), percent(pair.kept(name))])
            out.add_samples(f"foreground, {title}", found, pair.run_p50_us[name])
            out.add_rounds(f"background, {title}: requests per second", pair.rates.get(name, []),
                           lambda value: f"{value:.1f}")
            series.append({"name": title, "peer": name, "points": document.cdf([us / 1e3 for us in found])})
    out.add_table(f"Foreground and background: {pair.requests.title(pair.model)}", rows)
    if series:
        out.plots.append({"kind": "cdf", "title": "Foreground's requests", "x": "latency, ms", "series": series})
    if suite.peer("xsched"):
        out.targets = [("foreground p99, XSched / alone", pair.ratio("xsched", 99), "<=", MOST_P99, "x")]
    out.failures = pair.failures
    out.notes = [rounds.says(done, pair.seconds), pair.requests.says]
    out.raw = {"latency_us": {name: report.summary(found) for name, found in pair.latency_us.items() if found},
               "background_per_s": dict(pair.rates), "period_ms": pair.period_ms, "pytorch": pair.requests.torch}
    return out
