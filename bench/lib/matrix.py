"""The main job as a matrix: patterns of bursts (hp) beside kernels of several lengths (lp), under several peers, each
program alone or both together."""
import statistics
from collections import defaultdict
from dataclasses import dataclass, field

from . import calibration, intervals, programs, report, turns
from .workloads import CPU, ENDLESS, ENDLESS_STEPS, length_text

LONGEST_BURST_SECONDS = 10
MOST_FAILURES = 2     # of a peer; then it is left out
SAMPLE_NS = 160_000_000  # kept of one run, for a timeline


@dataclass
class Cell:
    """All rounds of one peer, pattern and lp kernel length."""
    latency_us: list = field(default_factory=list)  # of all bursts
    run_p50_us: list = field(default_factory=list)  # one of each round
    run_lp_outside: list = field(default_factory=list)  # lp's rate outside the bursts, one of each round
    lp_kernels: int = 0       # completed from the first burst's begin to the last one's
    lp_outside: float = 0     # of these, as much as was done outside the bursts
    seconds: float = 0        # from the first burst's begin to the last one's
    seconds_outside: float = 0
    sample: dict = None       # bursts [[begin, end]] and lp's completions of a short while, ns

    def add(self, bursts, done, length_ms=0):
        latency_us = [latency / 1e3 for _, latency in bursts]
        self.latency_us += latency_us
        self.run_p50_us.append(report.percentile(latency_us, 50))
        busy = intervals.busy([(begin, latency) for begin, latency in bursts])
        outside = intervals.between(busy)
        self.seconds += (busy[-1][0] - busy[0][0]) / 1e9
        self.seconds_outside += intervals.total(outside) / 1e9
        self.lp_kernels += intervals.count(done, [(busy[0][0], busy[-1][0])])
        work, seconds = intervals.work(done, outside, length_ms * 1e6), intervals.total(outside) / 1e9
        self.lp_outside += work
        if seconds:
            self.run_lp_outside.append(work / seconds)
        self.sample = self.sample or sample(bursts, done)

    @property
    def lp_rate(self):
        return self.lp_kernels / self.seconds if self.seconds else 0.0

    @property
    def lp_rate_outside(self):
        return self.lp_outside / self.seconds_outside if self.seconds_outside else 0.0


def sample(bursts, done):
    """From the middle of a run, times from its own begin."""
    start = bursts[len(bursts) // 2][0] - 5_000_000
    end = start + SAMPLE_NS
    return {"bursts": [[begin - start, begin - start + latency] for begin, latency in bursts if start <= begin < end],
            "done": [when - start for when in done if start <= when < end], "ns": SAMPLE_NS}


class Matrix:
    """`baseline`: the peer of whose programs alone everything is a multiple."""

    def __init__(self, session, progress, seconds, workload, baseline, stream="null"):
        self.session, self.progress, self.seconds = session, progress, seconds
        self.workload, self.baseline, self.stream = workload, baseline, stream
        self.cells = defaultdict(Cell)       # (peer's name, pattern, lp ms or None: alone)
        self.lp_alone = defaultdict(list)    # (peer's name, lp ms): a rate of each round
        self.failures = []                   # (peer's name, sentence)
        self.tried = set()                   # cells that there was time for
        self.witness = ""                    # what the server and the programs said in the first shared run
        self.steps = {}                      # by kernel length in ms

    def calibrate(self, lengths_ms, times=3):
        self.steps[self.workload.hp_kernel_ms] = self.session.calibrate(self.workload.hp_kernel_ms, times)
        for length in lengths_ms:
            self.steps[length] = ENDLESS_STEPS if length == ENDLESS else self.session.calibrate(length, 1)

    # --- one run

    def hp_options(self, pattern, seed):
        return {**self.workload.hp_options(pattern), "steps": self.steps[self.workload.hp_kernel_ms],
                "seconds": self.seconds, "seed": seed}

    def finish_hp(self, program, shared=False):
        program.wait_ready(self.progress)
        if shared and not self.witness and self.session.server_pids():
            self.witness = self.session.xcli("list") + self.session.xcli("status")
        return [tuple(row[:2]) for row in program.finish(self.progress, self.seconds + LONGEST_BURST_SECONDS)]

    def start_lp(self, peer, length):
        depth = 1 if length == ENDLESS else self.workload.depth
        lp = self.session.start("lp", {"steps": self.steps[length], "depth": depth, "until-eof": 1,
                                       "stream": self.stream, "seconds": self.seconds + 120}, peer.prefix("lp"))
        lp.wait_ready(self.progress)
        return lp

    def finish_lp(self, lp, length):
        if length == ENDLESS:
            lp.kill()
            return []
        return [row[0] for row in lp.finish(self.progress, 10)]

    def run_pair(self, peer, pattern, length, seed):
        options, done = self.hp_options(pattern, seed), self.session.folder / "pair-lp.rows"
        if length is not None:
            options.update({"lp-steps": self.steps[length], "lp-out": done, "depth": self.workload.depth})
        bursts = self.finish_hp(self.session.start("pair", options, peer.prefix("pair")))
        return bursts, [int(line) for line in done.read_text().split()] if length is not None else []

    def run_processes(self, peer, pattern, length, seed):
        lp = self.start_lp(peer, length) if length is not None else None
        hp = self.session.start("hp", {**self.hp_options(pattern, seed), "stream": self.stream}, peer.prefix("hp"))
        bursts = self.finish_hp(hp, lp is not None)
        return bursts, self.finish_lp(lp, length) if lp else []

    def run(self, peer, pattern, length, seed):
        """One round of a cell. A failure is kept, and the others go on."""
        beside = f"beside lp of {length_text(length)}" if length else "alone"
        self.progress.doing(f"{pattern}, {peer.title}, {beside}")
        self.tried.add((peer.name, pattern, length))
        if self.left_out(peer):
            return
        try:
            run = self.run_pair if peer.streams else self.run_processes
            bursts, done = run(peer, pattern, length, seed)
            self.cells[peer.name, pattern, length].add(bursts, done, length or 0)
        except (programs.ProgramFailed, OSError, ValueError, IndexError) as error:
            self.fail(peer, f"pattern {pattern}, {beside}: {error}")

    def run_in_turns(self, peers, pattern, number):
        """One round of hp alone under every peer, as close to each other as can be. All of them or none count."""
        self.progress.doing(f"{pattern} alone, in turns")
        pinned = [] if self.workload is CPU else turns.on_processors_of(number)
        options = {**self.hp_options(pattern, number + 1), "stream": self.stream, "turns": turns.TURNS,
                   "seconds": self.seconds / turns.TURNS}
        peers, hp, bursts = [peer for peer in peers if not self.left_out(peer)], {}, {}
        try:
            for peer in peers:
                hp[peer] = self.session.start("hp", options, [*peer.prefix("hp"), *pinned])
            for peer in peers:
                hp[peer].wait_ready(self.progress)
            for order in turns.orders(peers):
                for peer in order:
                    hp[peer].take_turn(self.progress)
            for peer in peers:
                bursts[peer] = [tuple(row[:2]) for row in hp[peer].finish(self.progress, 1)]
        except (programs.ProgramFailed, OSError, ValueError) as error:
            self.fail(peer, f"pattern {pattern}, alone: {error}")
            return
        for peer in peers:
            self.cells[peer.name, pattern, None].add(bursts[peer], [])

    def run_lp_alone(self, peer, length):
        self.progress.doing(f"lp of {length_text(length)} alone, {peer.title}")
        if self.left_out(peer) or length == ENDLESS or peer.streams:
            return
        try:
            lp = self.start_lp(peer, length)
            self.progress.wait(self.seconds)
            self.lp_alone[peer.name, length].append(intervals.rate(self.finish_lp(lp, length)))
        except (programs.ProgramFailed, OSError, ValueError, IndexError) as error:
            self.fail(peer, f"lp of {length_text(length)} alone: {error}")

    def left_out(self, peer):
        return sum(name == peer.name for name, _ in self.failures) >= MOST_FAILURES

    def fail(self, peer, sentence):
        self.failures.append((peer.name, sentence))
        self.session.kill_all()

    # --- what comes out

    def summary(self, peer, pattern, length=None):
        cell = self.cells.get((peer, pattern, length))
        return report.summary(cell.latency_us) if cell and cell.latency_us else None

    def ratio(self, peer, pattern, length, which, of=None):
        """A percentile over the same (or the percentile `of`) alone; None if one was not measured."""
        found, alone = self.summary(peer, pattern, length), self.summary(self.baseline, pattern)
        return found[which] / alone[of or which] if found and alone else None

    def overheads(self, peer, pattern):
        """Alone under the peer over alone, by round: their medians."""
        with_it, without = self.cells.get((peer, pattern, None)), self.cells.get((self.baseline, pattern, None))
        if not with_it or not without:
            return []
        return [ours / theirs - 1 for ours, theirs in zip(with_it.run_p50_us, without.run_p50_us)]

    def overhead(self, peer, pattern):
        by_round = self.overheads(peer, pattern)
        return statistics.median(by_round) if by_round else None

    def lp_overhead(self, peer, length):
        with_it, without = self.lp_alone.get((peer, length)), self.lp_alone.get((self.baseline, length))
        return statistics.median(without) / statistics.median(with_it) - 1 if with_it and without else None

    def lp_overheads(self, peer, length):
        """The same, by round."""
        with_it, without = self.lp_alone.get((peer, length), []), self.lp_alone.get((self.baseline, length), [])
        return [theirs / ours - 1 for ours, theirs in zip(with_it, without) if ours]

    def lp_share(self, peer, pattern, length):
        """LP's rate outside HP's bursts over its rate alone."""
        cell, alone = self.cells.get((peer, pattern, length)), self.lp_alone.get((self.baseline, length))
        return cell.lp_rate_outside / statistics.median(alone) if cell and cell.seconds_outside and alone else None

    def lp_shares(self, peer, pattern, length):
        """The same, one of each round."""
        cell, alone = self.cells.get((peer, pattern, length)), self.lp_alone.get((self.baseline, length))
        return [rate / statistics.median(alone) for rate in cell.run_lp_outside] if cell and alone else []

    def length_doubts(self):
        """Compares low's rate alone with the length of its kernels, on a CPU device: a sentence for each that it did
        not."""
        alone = {length: statistics.median(rates) for (peer, length), rates in self.lp_alone.items()
                 if peer == self.baseline and rates}
        return [f"low alone completed {rate:.0f} kernels of {length_text(length)} a second" for length, rate in
                alone.items() if self.workload is CPU and not calibration.is_right(length, 1e3 / max(rate, 1e-9))]

    def metrics(self):
        cells = []
        for (peer, pattern, length), cell in self.cells.items():
            if cell.latency_us:
                cells.append({"peer": peer, "pattern": pattern, "lp_kernel": length_text(length) if length else None,
                              "hp_latency_us": report.summary(cell.latency_us), "run_p50_us": cell.run_p50_us,
                              "p50_of_alone": self.ratio(peer, pattern, length, "p50"),
                              "p99_of_alone": self.ratio(peer, pattern, length, "p99"),
                              "p99_of_alone_p50": self.ratio(peer, pattern, length, "p99", "p50"),
                              "lp_kernels_per_s": cell.lp_rate, "lp_kernels_per_s_outside": cell.lp_rate_outside,
                              "lp_share_outside": self.lp_share(peer, pattern, length) if length else None})
        return {"cells": cells, "failures": [f"{peer}: {sentence}" for peer, sentence in self.failures],
                "steps": {length_text(length): steps for length, steps in self.steps.items()},
                "lp_alone": [{"peer": peer, "lp_kernel": length_text(length), "kernels_per_s": rates}
                             for (peer, length), rates in self.lp_alone.items()]}

    @property
    def exact(self):
        return not any("result is wrong" in sentence for _, sentence in self.failures)
