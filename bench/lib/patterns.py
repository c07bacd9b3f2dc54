"""The main job on a GPU as a matrix: patterns of bursts (hp) beside kernels of several lengths (lp), alone, shared
natively, under XSched, and alone under XSched, in rounds."""
import statistics
from collections import defaultdict
from dataclasses import dataclass, field

from . import intervals, programs, report

HP_KERNEL_MS = 0.007
PAUSE_MS = (12, 18)
DEPTH = 16
LONGEST_BURST_SECONDS = 10
MOST_FAILURES = 2  # of a scenario; then it is left out
PATTERNS = {
    "A": ("100 async kernels", {"burst-kernels": 100}),
    "B": ("20 x (5 kernels + sync)", {"burst-kernels": 100, "sync-every": 5}),
    "C": ("100 kernels, 60 us host gaps", {"burst-kernels": 100, "gap-us": 60}),
}
SCENARIOS = {"alone": "alone", "native": "shared natively", "xsched": "shared under XSched",
             "alone_xsched": "alone under XSched"}


@dataclass
class Cell:
    """All rounds of one scenario, pattern and lp kernel length."""
    latency_us: list = field(default_factory=list)  # of all bursts
    run_p50_us: list = field(default_factory=list)  # one of each round
    lp_kernels: int = 0       # completed from the first burst's begin to the last one's
    lp_outside: int = 0       # of these, outside the bursts
    seconds: float = 0        # from the first burst's begin to the last one's
    seconds_outside: float = 0

    def add(self, bursts, done):
        self.latency_us += [latency / 1e3 for _, latency in bursts]
        self.run_p50_us.append(report.percentile([latency / 1e3 for _, latency in bursts], 50))
        busy = intervals.busy([(begin, latency) for begin, latency in bursts])
        outside = intervals.between(busy)
        self.seconds += (busy[-1][0] - busy[0][0]) / 1e9
        self.seconds_outside += intervals.total(outside) / 1e9
        self.lp_kernels += intervals.count(done, [(busy[0][0], busy[-1][0])])
        self.lp_outside += intervals.count(done, outside)

    @property
    def lp_rate(self):
        return self.lp_kernels / self.seconds if self.seconds else 0.0

    @property
    def lp_rate_outside(self):
        return self.lp_outside / self.seconds_outside if self.seconds_outside else 0.0


class Matrix:
    """`pair`: both sides are streams of one process, scheduled by the local scheduler."""

    def __init__(self, session, progress, seconds, stream="null", pair=False):
        self.session, self.progress, self.seconds = session, progress, seconds
        self.stream, self.pair = stream, pair
        self.cells = defaultdict(Cell)       # (scenario, pattern, lp ms or None)
        self.lp_alone = defaultdict(list)    # (scenario, lp ms): a rate of each round
        self.failures = []                   # sentences
        self.rounds = 0
        self.witness = ""                    # what the server and the programs said in the first shared run
        self.hp_steps, self.lp_steps = 0, {}

    def calibrate(self, lengths_ms):
        self.hp_steps = self.session.calibrate(HP_KERNEL_MS)
        self.lp_steps = {length: self.session.calibrate(length, 1) for length in lengths_ms}

    # --- one run

    def hp_options(self, pattern, seed):
        return {**PATTERNS[pattern][1], "steps": self.hp_steps, "seconds": self.seconds, "pause-ms": PAUSE_MS[0],
                "pause-max-ms": PAUSE_MS[1], "seed": seed}

    def finish_hp(self, program, shared_under_xsched=False):
        program.wait_ready(self.progress)
        if shared_under_xsched and not self.witness:
            self.witness = self.session.xcli("list") + self.session.xcli("status")
        return [tuple(row[:2]) for row in program.finish(self.progress, self.seconds + LONGEST_BURST_SECONDS)]

    def start_lp(self, length, xsched):
        lp = self.session.start("lp", {"steps": self.lp_steps[length], "depth": DEPTH, "until-eof": 1,
                                       "stream": self.stream, "seconds": self.seconds + 120}, [] if xsched else None)
        lp.wait_ready(self.progress)
        return lp

    def finish_lp(self, lp):
        return [row[0] for row in lp.finish(self.progress, 10)]

    def run_pair(self, pattern, length, xsched, seed):
        options, done = self.hp_options(pattern, seed), self.session.folder / "pair-lp.rows"
        if length is not None:
            options.update({"lp-steps": self.lp_steps[length], "lp-out": done, "depth": DEPTH})
        bursts = self.finish_hp(self.session.start("pair", options, ["--scheduler", "local"] if xsched else None))
        return bursts, [int(line) for line in done.read_text().split()] if length is not None else []

    def run_processes(self, pattern, length, xsched, seed):
        lp = self.start_lp(length, xsched) if length is not None else None
        hp = self.session.start("hp", {**self.hp_options(pattern, seed), "stream": self.stream},
                                ["--priority", "10"] if xsched else None)
        bursts = self.finish_hp(hp, lp is not None and xsched)
        return bursts, self.finish_lp(lp) if lp else []

    def run(self, scenario, pattern, length, seed):
        """One round of a cell. A failure is kept, and the others go on."""
        xsched = scenario.endswith("xsched")
        self.progress.doing(f"{pattern} {SCENARIOS[scenario]}" + (f", lp {length:g} ms" if length else ""))
        try:
            run = self.run_pair if self.pair else self.run_processes
            bursts, done = run(pattern, length, xsched, seed)
            self.cells[scenario, pattern, length].add(bursts, done)
        except (programs.ProgramFailed, OSError, ValueError, IndexError) as error:
            self.fail(scenario, f"pattern {pattern}, lp {length} ms: {error}")

    def run_lp_alone(self, scenario, length):
        self.progress.doing(f"lp {length:g} ms {SCENARIOS[scenario]}")
        try:
            lp = self.start_lp(length, scenario.endswith("xsched"))
            self.progress.wait(self.seconds)
            rate = intervals.rate(self.finish_lp(lp))
            self.lp_alone[scenario, length].append(rate)
        except (programs.ProgramFailed, OSError, ValueError, IndexError) as error:
            self.fail(scenario, f"lp {length} ms: {error}")

    def fail(self, scenario, sentence):
        self.failures.append(f"{scenario}, {sentence}")
        self.session.kill_all()

    def round(self, number, patterns, lengths, scenarios, out_of_time=lambda: False):
        """Every cell once, those that are compared next to each other. Stops between cells when out of time."""
        order = [scenario for scenario in SCENARIOS if scenario in scenarios and MOST_FAILURES > sum(
            failure.startswith(f"{scenario},") for failure in self.failures)]
        if not order:
            return
        order = order[number % len(order):] + order[:number % len(order)]
        for length in lengths if not self.pair else []:
            for scenario in order:
                if scenario.startswith("alone") and not out_of_time():
                    self.run_lp_alone(scenario, length)
        for pattern in patterns:
            for scenario in order:
                for length in [None] if scenario.startswith("alone") else lengths:
                    if not out_of_time():
                        self.run(scenario, pattern, length, number + 1)

    # --- what comes out

    def summary(self, scenario, pattern, length=None):
        cell = self.cells.get((scenario, pattern, length))
        return report.summary(cell.latency_us) if cell and cell.latency_us else None

    def ratio(self, scenario, pattern, length, which, of=None):
        """A percentile of a scenario over the same (or the percentile `of`) alone; None if one was not measured."""
        found, alone = self.summary(scenario, pattern, length), self.summary("alone", pattern)
        return found[which] / alone[of or which] if found and alone else None

    def overhead(self, pattern):
        """Medians of the rounds' medians, under XSched over without."""
        with_it, without = self.cells.get(("alone_xsched", pattern, None)), self.cells.get(("alone", pattern, None))
        if not with_it or not without or not with_it.run_p50_us or not without.run_p50_us:
            return None
        return statistics.median(with_it.run_p50_us) / statistics.median(without.run_p50_us) - 1

    def lp_share(self, scenario, pattern, length):
        """LP's rate outside HP's bursts over its rate alone."""
        cell, alone = self.cells.get((scenario, pattern, length)), self.lp_alone.get(("alone", length))
        return cell.lp_rate_outside / statistics.median(alone) if cell and cell.seconds_outside and alone else None

    def table(self):
        rows = [("pattern, scenario", "lp ms", "bursts", "p50 us", "p99 us", "max us", "p50/alone", "p99/alone",
                 "lp/s", "lp/s outside", "of lp alone")]
        for pattern in PATTERNS:
            for scenario, title in SCENARIOS.items():
                for key in sorted((key for key in self.cells if key[:2] == (scenario, pattern)),
                                  key=lambda key: key[2] or 0):
                    found, cell, length = self.summary(*key), self.cells[key], key[2]
                    if found:
                        rows.append((f"{pattern} {title}", f"{length:g}" if length else "-", found["count"],
                                     *(f"{found[which]:.0f}" for which in ("p50", "p99", "max")),
                                     shown(self.ratio(*key, "p50")), shown(self.ratio(*key, "p99")),
                                     *((f"{cell.lp_rate:.0f}", f"{cell.lp_rate_outside:.0f}",
                                        shown(self.lp_share(*key))) if length else ("-", "-", "-"))))
        for (scenario, length), rates in sorted(self.lp_alone.items()):
            rows.append((f"lp {SCENARIOS[scenario]}", f"{length:g}", "-", "-", "-", "-", "-", "-",
                         f"{statistics.median(rates):.0f}", "-", "-"))
        return report.table(rows)

    def metrics(self):
        cells = []
        for (scenario, pattern, length), cell in self.cells.items():
            if cell.latency_us:
                cells.append({"scenario": scenario, "pattern": pattern, "lp_kernel_ms": length,
                              "hp_latency_us": report.summary(cell.latency_us), "run_p50_us": cell.run_p50_us,
                              "p50_of_alone": self.ratio(scenario, pattern, length, "p50"),
                              "p99_of_alone": self.ratio(scenario, pattern, length, "p99"),
                              "p99_of_alone_p50": self.ratio(scenario, pattern, length, "p99", "p50"),
                              "lp_kernels_per_s": cell.lp_rate, "lp_kernels_per_s_outside": cell.lp_rate_outside,
                              "lp_share_outside": self.lp_share(scenario, pattern, length) if length else None})
        return {"cells": cells, "failures": self.failures, "hp_steps": self.hp_steps,
                "lp_steps": {str(length): steps for length, steps in self.lp_steps.items()},
                "lp_alone": [{"scenario": scenario, "lp_kernel_ms": length, "kernels_per_s": rates}
                             for (scenario, length), rates in self.lp_alone.items()]}


def shown(value):
    return f"{value:.3f}" if value is not None else "-"
