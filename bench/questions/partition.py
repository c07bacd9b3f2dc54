"""Two models that are always busy share a device 75 to 25: the right half of the paper's figure 9."""
import json
from collections import defaultdict

from lib import requests, rounds
from lib.guarded import Guarded
from lib.document import Document, NotHere, percent

from .fixed_priority import LEAST_SECONDS, model_of

NAME, WEIGHT = "partition", 10
SHARES = (75, 25)
POLICY = "UP"
BATCH = 128  # so large that the models wait for the device, and never for the processor
MOST_OFF_POINTS = 2  # percentage points off its share, as in the paper


def server_has(session, policy):
    """Returns whether xserver knows the policy; starts one if none runs."""
    session.xcli("run", "--", "true")
    try:
        said = session.xcli("policy", "-n", "--json").split("\n", 1)[1]
        return policy in json.dumps(json.loads(said)).replace('"', " ").split()
    except (ValueError, IndexError):
        return False


class Partition(Guarded):
    def __init__(self, suite):
        self.suite, self.model, self.seconds = suite, model_of(suite), suite.profile.seconds
        self.requests = requests.Requests(suite.session, suite.progress, suite.workload, batch=BATCH)
        self.alone = []
        self.shared = defaultdict(list)  # by way: [(rate of the first, of the second)]
        self.failures = []

    def run_alone(self):
        prefix = self.suite.peer(self.suite.baseline).prefix("lp")
        self.guarded("one model alone",
                     lambda: self.alone.append(requests.rate(self.requests.alone(self.model, prefix, self.seconds))))

    def run_shared(self, way, prefix, environments=(None, None)):
        def body():
            first, second = self.requests.together((self.model, prefix, requests.BUSY, environments[0]),
                                                   (self.model, prefix, requests.BUSY, environments[1]), self.seconds)
            begin, end = requests.span(first)
            self.shared[way].append((requests.rate(first, begin, end), requests.rate(second, begin, end)))
        self.guarded(f"two models, {way}", body)

    def run_partitioned(self):
        session = self.suite.session
        session.xcli("policy", "-s", POLICY)
        self.run_shared("XSched 75/25", session.under_xsched(),
                        tuple({"XSCHED_AUTO_XQUEUE_UTILIZATION": str(share)} for share in SHARES))
        session.xcli("policy", "-s", "HPF")

    def rates(self, way):
        found = self.shared.get(way)
        return [sum(pair[i] for pair in found) / len(found) for i in (0, 1)] if found else None

    def normalized(self, way):
        alone = sum(self.alone) / len(self.alone) if self.alone else 0
        rates = self.rates(way)
        return [each / alone for each in rates] if rates and alone else None


def here(suite):
    if suite.peer("xsched") is None:
        raise NotHere("XSched is not among the peers")
    if not server_has(suite.session, POLICY):
        raise NotHere(f"this version has no partition policy ({POLICY})")


def answer(suite, deadline):
    found = Partition(suite)
    native = suite.peer(suite.baseline)
    plan = [[lambda number: found.run_alone(), lambda number: found.run_shared(native.title, native.prefix("lp")),
             lambda number: found.run_partitioned()]]
    done = suite.run_rounds(found, plan, deadline, LEAST_SECONDS, most_seconds=2 * suite.profile.seconds,
                            pace=rounds.Pace(2 * found.requests.start_up_seconds))
    out = Document(NAME, "Two models, 75 to 25",
                   "Does each of two busy models get the share of the device that it was given? (The paper's figure 9, "
                   "partition.)")
    rows, series = [["", "first, of alone", "second, of alone", "sum", "first's share"]], []
    for way in (native.title, "XSched 75/25"):
        parts = found.normalized(way)
        if parts and sum(parts):
            out.add_rounds(f"{way}: first's share", [one / (one + other) for one, other in found.shared[way]
                                                     if one + other], lambda value: percent(value, 1))
            rows.append([way, percent(parts[0]), percent(parts[1]), percent(sum(parts)),
                         percent(parts[0] / sum(parts), 1)])
            series.append({"name": way, "peer": native.name if way == native.title else "xsched",
                           "values": [round(part * 100, 2) for part in parts]})
    out.add_table(f"Both {found.requests.title(found.model)}, always busy", rows)
    out.plots.append({"kind": "bars", "title": "Requests, of alone", "y": "of alone, %", "x": "model",
                      "groups": ["first", "second"],
                      "series": series})
    parts = found.normalized("XSched 75/25")
    off = abs(parts[0] / sum(parts) * 100 - SHARES[0]) if parts and sum(parts) else None
    out.targets = [("first's share, points off 75 %", off, "<=", MOST_OFF_POINTS, "")]
    out.failures = found.failures
    out.notes = [rounds.says(done, found.seconds), found.requests.says]
    out.raw = {"alone_per_s": found.alone, "shared_per_s": dict(found.shared), "pytorch": found.requests.torch}
    return out
