"""Measures a published workload (lib/published.py): urgent programs alone, background programs alone, and all of them
together in several ways, in turns. All programs of a variant are loaded at once, and use the device in their turns."""
import os
from collections import defaultdict

from . import comparison, document, intervals, peers, published, report, requests
from .document import percent, shown, time_text
from .programs import ProgramFailed

LOOK_SECONDS = 2      # to learn how long a request takes alone
MOST_LOADED = 24      # processes that wait with their models in memory
END_SECONDS = 30
MANY_SECONDS = 3600
BACKGROUND_DEPTH = 2


class Measuring:
    def __init__(self, session, progress, ways, seconds, load=None):
        self.session, self.progress, self.seconds, self.load = session, progress, seconds, load
        self.ways = {peer.name: peer for peer in ways}
        self.ways_shared = list(self.ways)   # in which the programs of all roles run together
        self.latency_us = defaultdict(list)  # by turn: of all urgent programs
        self.run_p50_us = defaultdict(list)
        self.rates = defaultdict(list)       # by turn: the background's completions per second
        self.busy = []                       # part of the time in which urgent programs alone work
        self.failures = []
        self.service_s = {}                  # by program

    def start(self, program, way, seed, **more):
        options = {**program.options(seed, published.per_s(program, self.service_s.get(program), self.load)),
                   "seconds": self.seconds, **more}
        if program.role == "background":
            options |= {"seconds": MANY_SECONDS, "until-eof": 1, "depth": BACKGROUND_DEPTH}
        return self.session.start("workload.py", options, self.ways[way].prefix(published.ROLES[program.role]),
                                  folder=requests.PYTORCH)

    def unknown(self, variant):
        """Programs whose rate follows from how long a request takes alone, which is not known."""
        return [program for program in variant.programs if program not in self.service_s and
                program.arrival.kind != "closed" and
                (self.load is not None and program.role == "urgent" or program.arrival.load)]

    def look(self, variant):
        """How long such a request takes."""
        for program in self.unknown(variant):
            self.progress.doing(f"{variant.id}: {program.model} alone")
            running = self.session.start("workload.py", {**program.options(1, 0), "arrival": "closed",
                                                         "seconds": LOOK_SECONDS}, folder=requests.PYTORCH)
            self.ready_to_work([running])
            running.begin()
            rows = [row[1] for row in running.finish(self.progress, LOOK_SECONDS + END_SECONDS)]
            self.service_s[program] = report.percentile(rows, 50) / 1e9

    def ready_to_work(self, running):
        """Loaded, and then on the device."""
        for each in running:
            each.wait_ready(self.progress)
        for each in running:
            each.take_turn(self.progress)

    def load_turn(self, variant, turn, number):
        _, way, roles = turn
        return [(program, self.start(program, way, variant.seed + number * 100 + at))
                for at, program in enumerate(variant.programs) if program.role in roles]

    def run_turn(self, turn, loaded):
        name = turn[0]
        self.ready_to_work([running for _, running in loaded])
        for role in ("background", "urgent"):
            for program, running in loaded:
                if program.role == role:
                    running.begin()
        urgent = [running for program, running in loaded if program.role == "urgent"]
        if not urgent:
            self.progress.wait(self.seconds)
        rows = [row for running in urgent for row in running.finish(self.progress, self.seconds + END_SECONDS)]
        others = [running.finish(self.progress, END_SECONDS) for program, running in loaded
                  if program.role == "background"]
        self.add(name, rows, others)

    def add(self, name, rows, others):
        if rows:
            latency_us = [row[1] / 1e3 for row in rows]
            self.latency_us[name] += latency_us
            self.run_p50_us[name].append(report.percentile(latency_us, 50))
            begin, end = min(row[0] for row in rows), max(row[0] + row[1] for row in rows)
            if name == "alone":
                self.busy.append(intervals.total(intervals.busy(rows)) / (end - begin))
        else:
            begin = max((each[0][0] for each in others if each), default=0)
            end = min((each[-1][0] + each[-1][1] for each in others if each), default=0)
        if others:
            self.rates[name].append(sum(requests.rate(each, begin, end) for each in others))

    def round(self, variant, number):
        turns = published.turns(variant, self.ways_shared)
        first = number % len(turns)
        turns = turns[first:] + turns[:first]
        at_once = max(MOST_LOADED // len(variant.programs), 1)
        for begin in range(0, len(turns), at_once):
            some = turns[begin:begin + at_once]
            self.progress.doing(f"{variant.id}: loading")
            loaded = [self.load_turn(variant, turn, number) for turn in some]
            for turn, programs in zip(some, loaded):
                self.progress.doing(f"{variant.id}: {turn[0]}")
                try:
                    self.run_turn(turn, programs)
                except (ProgramFailed, OSError, ValueError, IndexError) as error:
                    self.failures.append(f"{turn[0]}: {error}")
                    for _, running in programs:
                        running.kill()

    # --- what comes out

    def kept(self, name):
        """The background's rate, of its rate alone, by round."""
        alone = self.rates.get("background alone")
        middle = report.percentile(alone, 50) if alone else 0
        return [rate / middle for rate in self.rates.get(name, [])] if middle else []

    def kept_of_left(self, name):
        """The same, of what the urgent programs leave of the device."""
        kept = self.kept(name)
        left = 1 - report.percentile(self.busy, 50) if self.busy else 0
        return report.percentile(kept, 50) / left if kept and left > 0 else None

    def way(self, name):
        title = self.ways[name].title if name in self.ways else name
        return comparison.Way(title, title, name, self.latency_us.get(name, []), self.run_p50_us.get(name, []),
                              self.kept(name) if name != "alone" else [])

    def ratio(self, name, which):
        found, alone = self.latency_us.get(name), self.latency_us.get("alone")
        return report.percentile(found, which) / report.percentile(alone, which) if found and alone else None


def table(measuring, asks):
    which = asks["percentile"]
    rows = [["", "n", "p50", "p95", "p99", "p99.9", f"p{which}, of alone", "background, of alone", "of what is left"]]
    for name in ("alone", *measuring.ways_shared):
        found = measuring.latency_us.get(name)
        if not found:
            continue
        kept = measuring.kept(name) if name != "alone" else []
        rows.append([measuring.way(name).title, len(found),
                     *(time_text(report.percentile(found, at)) for at in (50, 95, 99, 99.9)),
                     shown(measuring.ratio(name, which)), percent(report.percentile(kept, 50)) if kept else "-",
                     percent(measuring.kept_of_left(name)) if kept else "-"])
    return rows


def answer(variant, measuring, rounds):
    """The variant's Document."""
    asks = variant.asks
    out = document.Document(f"published_{variant.id}", f"{variant.id}: {variant.name}",
                            f"What {variant.source} measured, here. Claimed: " + "; ".join(
                                f"{claim['by']} on {claim['hardware']}: {claim['number']}" for claim in variant.claims))
    words = [f"{measuring.way(name).title} {measuring.ratio(name, asks['percentile']):.2f} x" for name in
             measuring.ways_shared if measuring.ratio(name, asks["percentile"]) is not None]
    if words:
        out.answer = [f"{variant.id}, urgent p{asks['percentile']} of alone: {', '.join(words)}."]
    out.add_table("Urgent requests, from when each was due, and the background's rate", table(measuring, asks))
    for name in ("alone", *measuring.ways_shared):
        way = measuring.way(name)
        out.add_samples(way.title, way.latency_us, way.rounds_p50_us)
        out.add_rounds(f"{way.title}: background, of alone", way.kept, percent)
    ways = [measuring.way(name) for name in ("alone", *measuring.ways_shared)]
    out.plots = comparison.pictures(ways)
    kept = measuring.kept_of_left("xsched")
    out.targets = [(f"urgent p{asks['percentile']} under XSched / alone", measuring.ratio("xsched", asks["percentile"]),
                    "<=", asks["most"], "x"),
                   ("background, of what is left", kept * 100 if kept is not None else None, ">=",
                    asks["background"] * 100, "%")]
    out.failures = measuring.failures
    out.notes = [f"{rounds} rounds of {measuring.seconds:g} s for each, in turns", f"seed {variant.seed}",
                 "random weights", "urgent rates as published" if measuring.load is None else
                 f"urgent rates so that each works {measuring.load:g} of the time alone"]
    if timeslice_us := os.environ.get("BENCH_TIMESLICE_US"):
        out.notes.append(f"static timeslices of {timeslice_us} us")
    out.raw = {"claims": list(variant.claims), "rates_per_s": dict(measuring.rates), "urgent_busy": measuring.busy,
               "latency_us": {name: report.summary(values) for name, values in measuring.latency_us.items() if values}}
    return out


def find_ways(wanted, platform, environment):
    """(peers that are here, {name: why another one is not})."""
    known = {peer.name: peer for peer in peers.all_peers()}
    here, absent = [], {}
    for name in wanted:
        reason = peers.refusal(known[name], platform, environment) if name in known else "there is no such adapter"
        if reason:
            absent[name] = reason
        else:
            here.append(known[name])
    return here, absent
