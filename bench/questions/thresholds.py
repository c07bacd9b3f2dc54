"""Level 1 with more and more in flight: what it costs and how soon it stands still."""
import statistics
from collections import defaultdict

from lib import intervals, report, rounds, suspensions, workloads
from lib.guarded import Guarded
from lib.document import Document, NotHere, percent, shown

NAME, WEIGHT = "thresholds", 10
LEAST_SECONDS = 0.25
SHORT_MS = {"gpu": 0.01, "cpu": 0.5}   # kernels whose launches the threshold holds up
LONG_MS = {"gpu": 0.5, "cpu": 2}       # kernels that a suspension waits for


class Sweep(Guarded):
    def __init__(self, suite):
        self.suite, self.seconds = suite, suite.profile.seconds
        device = "cpu" if suite.workload is workloads.CPU else "gpu"
        self.short_ms, self.long_ms = SHORT_MS[device], LONG_MS[device]
        self.rates, self.still, self.failures = defaultdict(list), defaultdict(list), []
        self.steps = {length: suite.session.calibrate(length, 1) for length in (self.short_ms, self.long_ms)}

    def run_rate(self, threshold):
        """Kernels per second of one program alone; threshold None: natively."""
        session, progress = self.suite.session, self.suite.progress

        def body():
            prefix = self.suite.peer(self.suite.baseline).prefix("lp") if threshold is None else session.under_xsched(
                "--level", "1", "--threshold", str(threshold), "--batch", str(max(threshold // 2, 1)))
            lp = session.start("lp", {"steps": self.steps[self.short_ms], "depth": 64, "until-eof": 1,
                                      "seconds": self.seconds + 60}, prefix)
            lp.wait_ready(progress)
            progress.wait(self.seconds)
            self.rates[threshold].append(intervals.rate([row[0] for row in lp.finish(progress, 10)]))
        self.guarded(f"threshold {threshold or 'none'}: rate", body)

    def run_still(self, threshold):
        def body():
            self.still[threshold] += suspensions.measure(
                self.suite.session, self.suite.progress, 1, threshold, self.long_ms, self.steps[self.long_ms],
                self.seconds, self.suite.workload.depth)
        self.guarded(f"threshold {threshold}: stands still", body)

    def cost(self, threshold):
        native, found = self.rates.get(None), self.rates.get(threshold)
        return statistics.median(native) / statistics.median(found) - 1 if native and found else None


def answer(suite, deadline):
    if suite.peer("xsched_l1") is None:
        raise NotHere("XSched's level 1 is not here")
    thresholds, sweep = list(suite.profile.thresholds), Sweep(suite)
    groups = [[lambda number, threshold=threshold: sweep.run_rate(threshold) for threshold in (None, *thresholds)],
              [lambda number, threshold=threshold: sweep.run_still(threshold) for threshold in thresholds]]
    done = suite.run_rounds(sweep, groups, deadline, LEAST_SECONDS)
    out = Document(NAME, "Level 1: how much may be in flight",
                   "What does a small in-flight window cost, and what does a large one delay?")
    rows = [["threshold", f"added, kernels of {sweep.short_ms:g} ms",
             f"stands still p50 / p99 ms, T {sweep.long_ms:g} ms", "p99 / T"]]
    for threshold in thresholds:
        still = sweep.still.get(threshold, [])
        rows.append([threshold, percent(sweep.cost(threshold), 1), suspensions.text(still),
                     shown(report.percentile(still, 99) / 1e3 / sweep.long_ms if still else None)])
    for threshold in thresholds:
        out.add_samples(f"threshold {threshold}: stands still", sweep.still.get(threshold, []))
    for threshold, values in sweep.rates.items():
        out.add_rounds(f"threshold {threshold or 'none'}: kernels per second", values, lambda value: f"{value:.0f}")
    out.add_table("One program alone at level 1; batches of half the threshold", rows)
    costs = [[threshold, round(sweep.cost(threshold) * 100, 3)] for threshold in thresholds
             if sweep.cost(threshold) is not None]
    still = [[threshold, round(report.percentile(sweep.still[threshold], 99) / 1e3, 4)] for threshold in thresholds
             if sweep.still.get(threshold)]
    out.plots = [
        {"kind": "lines", "title": f"Added to kernels of {sweep.short_ms:g} ms", "x": "threshold", "y": "added, %",
         "log": ["x"], "series": [{"name": "level 1", "peer": "xsched_l1", "points": costs}]},
        {"kind": "lines", "title": f"Stands still after, T {sweep.long_ms:g} ms", "x": "threshold", "y": "p99, ms",
         "log": ["x", "y"], "series": [
             {"name": "level 1", "peer": "xsched_l1", "points": still},
             {"name": "(threshold + 1) T", "peer": "alone", "dashed": True,
              "points": [[threshold, (threshold + 1) * sweep.long_ms] for threshold in thresholds]}]}]
    out.targets = [(f"threshold {threshold}: stands still after, p99",
                    report.percentile(sweep.still[threshold], 99) if sweep.still.get(threshold) else None, "<=",
                    (threshold + 1) * sweep.long_ms * 1e3, " us") for threshold in thresholds]
    out.failures = sweep.failures
    out.notes = [rounds.says(done, sweep.seconds)]
    out.raw = {"kernels_per_s": {str(threshold): values for threshold, values in sweep.rates.items()},
               "standstill_us": {str(threshold): report.summary(values) for threshold, values in sweep.still.items()
                                 if values}}
    return out
