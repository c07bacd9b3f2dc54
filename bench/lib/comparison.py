"""One program's bursts in several ways (alone, shared natively, under XSched) beside another one: the table and the
pictures that `xcli report` and `make demo` share."""
import statistics
from dataclasses import dataclass, field

from . import document, report, spread
from .document import percent, shown

FEW = {99: 100, 90: 20, 50: 5}  # bursts without which a quantile is not told


@dataclass
class Way:
    title: str                                         # "shared natively"
    name: str                                          # the same in a word
    peer: str                                          # decides the colour
    latency_us: list                                   # of all bursts
    rounds_p50_us: list = field(default_factory=list)  # one of each round
    kept: list = field(default_factory=list)           # the other one's rate, of its rate alone, one of each round
    lane: dict = None                                  # a piece of it (plots.timeline)

    def at(self, which):
        return report.percentile(self.latency_us, which) if self.latency_us else None

    def bounds(self, which):
        return spread.interval(self.latency_us, which) if self.latency_us else (None, None)

    @property
    def keeps(self):
        known = [each for each in self.kept if each is not None]
        return statistics.median(known) if known else None


def tail_of(ways):
    """The highest percentile that all of them have enough bursts for; None: there are too few for any."""
    least = min((len(way.latency_us) for way in ways), default=0)
    return next((which for which, few in FEW.items() if least >= few), None)


def text_of(ways):
    """Returns a function that writes times of these bursts, all in one unit."""
    return document.in_one_unit([us for way in ways for us in (*way.latency_us, *way.rounds_p50_us)])


def span(way, which, text):
    return spread.shown(*way.bounds(which), text)


def latency_table(ways):
    """Rows; of each figure how many bursts it rests upon, its interval, and the spread of the rounds."""
    rows = [["", "n", "p50", "95 %", "p99", "95 %", "max", "x alone"]]
    alone, text = ways[0].at(50), text_of(ways)
    for way in ways:
        if not way.latency_us:
            rows.append([way.title, "0", *["-"] * 6])
            continue
        enough = len(way.latency_us) >= FEW[99]
        rows.append([way.title, len(way.latency_us), text(way.at(50)), span(way, 50, text),
                     text(way.at(99)) if enough else "-", span(way, 99, text) if enough else "-",
                     text(max(way.latency_us)), shown(way.at(50) / alone) if alone else "-"])
    return rows


def rounds_table(ways):
    rows = [["", "rounds", "urgent's p50, by round", "other keeps", "by round"]]
    for way in ways:
        rows.append([way.title, len(way.rounds_p50_us) or len(way.kept),
                     spread.rounds_shown(way.rounds_p50_us, text_of(ways)), percent(way.keeps),
                     spread.rounds_shown(way.kept, percent)])
    return rows


def tables(ways):
    """[(caption, rows)]"""
    return [("Bursts of the urgent program", latency_table(ways)), ("The rounds", rounds_table(ways))]


def pictures(ways):
    """Plots (lib/plots.py)."""
    shared = [way for way in ways if way.latency_us]
    if not shared:
        return []
    found = [{"kind": "cdf", "title": "How long the urgent program's bursts took",
              "x": "length of a burst, ms (logarithmic)",
              "series": [{"name": way.title, "peer": way.peer,
                          "points": document.cdf([us / 1e3 for us in way.latency_us])} for way in shared]}]
    if tail := tail_of(shared):
        quantiles = sorted({50, tail})
        found.append({"kind": "bars", "title": "Its percentiles, with their 95 % intervals", "x": "percentile",
                      "y": "length of a burst, ms",
                      "groups": [f"p{which}" for which in quantiles],
                      "series": [bar(way, quantiles) for way in shared]})
    kept = [way for way in ways if way.keeps is not None]
    if kept:
        bounds = [spread.of_rounds(way.kept) for way in kept]
        found.append({"kind": "bars", "title": "The other program's rate, least and most of the rounds",
                      "y": "of its rate alone, %", "x": "way to share", "groups": [way.name for way in kept],
                      "series": [{"name": way.title, "peer": way.peer,
                                  "values": [way.keeps * 100 if i == at else None for i in range(len(kept))],
                                  "spread": [[b * 100 for b in bounds[at]] if i == at else None
                                             for i in range(len(kept))]} for at, way in enumerate(kept)]})
    lanes = [{"name": way.name, "peer": way.peer, **way.lane} for way in ways if way.lane]
    if lanes:
        found.append({"kind": "timeline", "title": "Both programs, a piece of one run", "lanes": lanes})
    return found


def bar(way, quantiles):
    bounds = [way.bounds(which) for which in quantiles]
    return {"name": way.title, "peer": way.peer, "values": [way.at(which) / 1e3 for which in quantiles],
            "spread": [[b / 1e3 for b in pair] if None not in pair else None for pair in bounds]}


def numbers(ways):
    """For programs."""
    return [{"way": way.title, "bursts": len(way.latency_us),
             **({f"{name}_us": {"value": way.at(which), "interval_95": list(way.bounds(which))}
                 for name, which in (("p50", 50), ("p90", 90), ("p99", 99))} if way.latency_us else {}),
             "p50_us_by_round": way.rounds_p50_us, "other_keeps_by_round": way.kept} for way in ways]
