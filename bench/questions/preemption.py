"""Preemption latency against the length T of the victim's kernels, as in the XSched paper (threshold 8, batch 4)."""
from collections import defaultdict

from lib import report, rounds, suspensions, workloads
from lib.guarded import Guarded
from lib.document import Document, NotHere, shown

NAME, WEIGHT = "preemption", 14
THRESHOLD, BATCH = 8, 4
LEAST_SECONDS = 0.25
LEAST_SAMPLES = 5
LEVELS = {1: "xsched_l1", 2: "xsched_l2", 3: "xsched_l3"}
# Levels whose standstill is measured by the kernels' ends. At level 3 no kernel's end tells when it was taken off. On
# a CPU device level 2 acts between work-groups, and here a kernel has one per processor: the question `guard`
# measures that.
STANDSTILL_LEVELS = {"gpu": (1, 2), "cpu": (1,)}
PROBE_PAUSE_MS = {"gpu": (5, 9), "cpu": (12, 20)}
GUARD_US = 30               # level 2: 1.1 T and so much
LEVEL_3_US = (350, 500)     # p50 and p99 that are asked
# The paper's own figures on a GV100, p99 in us by T in ms: facts of its artifact, for comparison only.
PAPER_P99_US = {1: {0.1: 1053, 0.5: 5280, 1: 10582, 2: 21160}, 2: {0.1: 148, 0.5: 674, 1: 1277, 2: 2575},
                3: {0.1: 41, 0.5: 36, 1: 34, 2: 34}}


class Preemption(Guarded):
    def __init__(self, suite, lengths):
        self.suite, self.lengths = suite, lengths
        self.standstill = defaultdict(list)  # (level, T): us
        self.probe = defaultdict(list)       # (peer, T or None: alone): us
        self.failures, self.steps, self.seconds = [], {}, suite.profile.seconds
        self.standstill_levels = STANDSTILL_LEVELS["cpu" if suite.workload is workloads.CPU else "gpu"]

    def calibrate(self):
        self.steps = {length: self.suite.session.calibrate(length, 1)
                      for length in (self.suite.workload.hp_kernel_ms, *self.lengths)}

    def run_standstill(self, level, length):
        def body():
            self.standstill[level, length] += suspensions.measure(
                self.suite.session, self.suite.progress, level, THRESHOLD, length, self.steps[length], self.seconds,
                self.suite.workload.depth)
        self.guarded(f"level {level} stands still, T {length:g} ms", body)

    def run_probe(self, peer, length, number):
        """Single short kernels of high beside kernels of T; their latency is what the preemption cost high."""
        suite = self.suite
        pause = PROBE_PAUSE_MS["cpu" if suite.workload is workloads.CPU else "gpu"]
        window = {"XSCHED_AUTO_XQUEUE_THRESHOLD": str(THRESHOLD), "XSCHED_AUTO_XQUEUE_BATCH_SIZE": str(BATCH)} \
            if peer.name == LEVELS[1] else {}

        def body():
            lp = None
            if length is not None:
                lp = suite.session.start("lp", {"steps": self.steps[length], "depth": suite.workload.depth,
                                                "until-eof": 1, "seconds": self.seconds + 60}, peer.prefix("lp"),
                                         window)
                lp.wait_ready(suite.progress)
            hp = suite.session.start("hp", {"steps": self.steps[suite.workload.hp_kernel_ms], "burst-kernels": 1,
                                            "pause-ms": pause[0], "pause-max-ms": pause[1], "seconds": self.seconds,
                                            "seed": number + 1}, peer.prefix("hp"), window)
            hp.wait_ready(suite.progress)
            self.probe[peer.name, length] += [row[1] / 1e3 for row in hp.finish(suite.progress, self.seconds + 10)]
            if lp:
                lp.finish(suite.progress, 10)
        self.guarded(f"one kernel of high, {peer.title}, T {length or 0:g} ms", body)

    def delay_us(self, peer, length, which):
        """A percentile of the probe's latency less what it takes alone."""
        alone, found = self.probe.get((self.suite.baseline, None)), self.probe.get((peer, length))
        return report.percentile(found, which) - report.percentile(alone, 50) if alone and found else None

    def samples(self, level, length):
        """Returns an empty result unless enough suspensions count (lib/suspensions.py says which do not)."""
        found = self.standstill.get((level, length), [])
        return found if level == 1 or len(found) >= LEAST_SAMPLES else []

    def standstill_us(self, level, length, which):
        found = self.samples(level, length)
        return report.percentile(found, which) if found else None


def plan(found, suite, levels):
    """Groups of what is compared, for lib/rounds.py."""
    groups = [[lambda number: found.run_probe(suite.peer(suite.baseline), None, number)]]
    for length in found.lengths:
        groups.append([lambda number, level=level, length=length: found.run_standstill(level, length)
                       for level in levels if level in found.standstill_levels])
        peers = [suite.peer(suite.baseline), suite.peer("xsched"), *(suite.peer(LEVELS[level]) for level in levels)]
        groups.append([lambda number, peer=peer, length=length: found.run_probe(peer, length, number)
                       for peer in peers if peer])
    return groups


def targets(found, levels, workload):
    asked = []
    for length in found.lengths:
        t_us = length * 1e3
        for level in [level for level in levels if level in found.standstill_levels]:
            limit = (THRESHOLD + 1) * t_us if level == 1 else 1.1 * t_us + GUARD_US
            seen = level == 1 or found.standstill_us(level, length, 99) is not None
            measured = found.standstill_us(level, length, 99) if seen else found.delay_us(LEVELS[level], length, 99)
            what = "stands still after" if seen else "high's delay"
            asked.append((f"level {level}, T {length:g} ms: {what}, p99", measured, "<=", limit, " us"))
        if 3 in levels and workload is not workloads.CPU:
            for which, limit in zip((50, 99), LEVEL_3_US):
                asked.append((f"level 3, T {length:g} ms: high's delay, p{which}",
                              found.delay_us(LEVELS[3], length, which), "<=", limit, " us"))
    return asked


def plots(found, suite, levels):
    still, delay = [], []
    for level in [level for level in levels if level in found.standstill_levels]:
        points = [[length, round(max(found.standstill_us(level, length, 99), 1) / 1e3, 5)] for length in found.lengths
                  if found.standstill_us(level, length, 99) is not None]
        still.append({"name": f"level {level}", "peer": LEVELS[level], "points": points})
    if suite.workload is not workloads.CPU:
        still += [{"name": f"paper, level {level} (GV100)", "peer": LEVELS[level], "dashed": True,
                   "points": [[length, us / 1e3] for length, us in by_length.items()]}
                  for level, by_length in PAPER_P99_US.items()]
    for name in (suite.baseline, *(LEVELS[level] for level in levels), "xsched"):
        points = [[length, round(max(found.delay_us(name, length, 99), 1) / 1e3, 5)] for length in found.lengths
                  if found.delay_us(name, length, 99) is not None]
        if points:
            delay.append({"name": suite.title(name), "peer": name, "points": points})
    axes = {"kind": "lines", "x": "T, ms", "y": "p99, ms", "log": ["x", "y"]}
    return [{**axes, "title": "A suspended queue stands still after", "series": still},
            {**axes, "title": "One kernel of the urgent program is delayed by", "series": delay}]


def answer(suite, deadline):
    levels = [level for level, name in LEVELS.items() if suite.peer(name)]
    if not levels:
        raise NotHere("no level of XSched is here")
    lengths = list(suite.workload.preempt_ms)[-min(suite.profile.preempt, len(suite.workload.preempt_ms)):]
    found = Preemption(suite, lengths)
    found.calibrate()
    groups = plan(found, suite, levels)
    done = suite.run_rounds(found, groups, deadline, LEAST_SECONDS)
    out = Document(NAME, "Preemption latency", "How long does a preemption take, if the victim's kernels take T?")
    rows = [["T ms, level", "stands still p50 / p99 ms", "p99 / T", "samples", "high's delay p50 / p99 ms"]]
    for length in lengths:
        for level in levels:
            still = found.samples(level, length)
            p50, p99 = (found.delay_us(LEVELS[level], length, which) for which in (50, 99))
            rows.append([f"{length:g}, level {level}", suspensions.text(still),
                         shown(report.percentile(still, 99) / 1e3 / length if still else None), len(still) or "-",
                         f"{p50 / 1e3:.2f} / {p99 / 1e3:.2f}" if p50 is not None else "-"])
        for name in (suite.baseline, "xsched"):
            p50, p99 = (found.delay_us(name, length, which) for which in (50, 99))
            if p50 is not None:
                rows.append([f"{length:g}, {suite.title(name)}", "-", "-", "-", f"{p50 / 1e3:.2f} / {p99 / 1e3:.2f}"])
    out.add_table(f"Threshold {THRESHOLD}, batch {BATCH}. Left: from XQueueSuspend to the last kernel's end. Right: "
                  "what one short kernel of a more urgent program takes longer than alone", rows)
    for (level, length), values in found.standstill.items():
        out.add_samples(f"stands still, level {level}, T {length:g} ms", values)
    for (peer, length), values in found.probe.items():
        beside = f"T {length:g} ms" if length else "alone"
        out.add_samples(f"one kernel of high, {suite.title(peer)}, {beside}", values)
    out.plots, out.targets = plots(found, suite, levels), targets(found, levels, suite.workload)
    out.failures = found.failures
    out.notes = [rounds.says(done, found.seconds)]
    out.raw = {"standstill_us": [{"level": level, "kernel_ms": length, **report.summary(values)}
                                 for (level, length), values in found.standstill.items() if values],
               "high_us": [{"peer": peer, "kernel_ms": length, **report.summary(values)}
                           for (peer, length), values in found.probe.items() if values]}
    return out
