"""The conclusions from the turns of `xcli report`: the sentences about the user's programs (lib/own_page.py)."""
import datetime
import statistics
from dataclasses import dataclass, field

from . import comparison, gain, intervals, report
from .document import percent
from .own_measuring import OTHER, URGENT
from .own_verdict import verdict_of

LANE_NS = 400_000_000  # of a picture of both programs
WAYS = (("alone", "alone", "alone"), ("shared natively", "natively", "native"),
        ("shared under XSched", "XSched", "xsched"))


@dataclass
class Found:
    """All that the page tells."""
    ways: list
    rates: dict                  # by way: the urgent program's rate, of alone, by round
    walls: list                  # (title, seconds by round, those without XSched)
    commands: list               # (title, words)
    rounds: int = 0
    limit: float = 0
    measured: list = field(default_factory=list)
    together: float = None       # part of the urgent program's working time in which the other one has work, natively
    busy: float = None           # part of the time in which the urgent program has work, under XSched
    other_command_ms: float = 0
    level: int = None
    devices: set = field(default_factory=set)
    doubts: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    version: str = ""
    date: str = ""


def latency_of(turns):
    """(all bursts, the median of each round), us."""
    by_turn = [[length / 1e3 for _, length in turn.bursts(URGENT)] for turn in turns]
    return sum(by_turn, []), [report.percentile(each, 50) for each in by_turn if each]


def lane_of(turn):
    """A piece from the middle, times from its own begin."""
    bursts = turn.bursts(URGENT)
    if not bursts or OTHER not in turn.seen:
        return None
    start = bursts[len(bursts) // 2][0] - 5_000_000
    end = min(start + LANE_NS, turn.end)

    def within(pieces):
        return [[max(a, start) - start, min(b, end) - start] for a, b in pieces if b > start and a < end]
    return {"bursts": [[a - start, a + length - start] for a, length in bursts if start <= a < end], "ns": end - start,
            "works": within(turn.seen[OTHER].working(turn.begin, turn.end)), "held": within(turn.seen[OTHER].held)}


def overlap(one, other):
    """For how long both of these sorted lists of intervals have one."""
    return sum(max(0, min(b, d) - max(a, c)) for a, b in one for c, d in other)


def together(turns):
    urgent = other = 0
    for turn in turns:
        works = turn.seen[URGENT].working(turn.begin, turn.end)
        urgent += intervals.total(works)
        other += overlap(works, turn.seen[OTHER].working(turn.begin, turn.end))
    return other / urgent if urgent else None


def walls(measuring):
    """Rows for own_page.wall_rows."""
    turns, bare = measuring.turns, measuring.bare
    rows = []
    for title, role, way, key in (("urgent, alone", URGENT, "alone", "alone"),
                                  ("urgent, shared", URGENT, "native", "shared"),
                                  ("other, shared", OTHER, "native", "shared")):
        without = [each[role] for each in bare[key] if role in each]
        if not without:
            continue
        rows.append((f"{title}: without XSched", without, without))
        measured = [("followed by OBSERVE", way)] + ([("under XSched", "xsched")] if key == "shared" else [])
        for words, where in measured:
            known = [turn.walls[role] for turn in turns[where] if role in turn.walls]
            if known:
                rows.append((f"{title}: {words}", known, without))
    return rows


def doubts_of(measuring, watch, ways):
    found = [watch.note] if watch.note else []
    most = max((way.keeps or 0 for way in ways), default=0)
    if most > gain.MOST_KEPT:
        found.append(f"the other program did {percent(most)} of what it did alone, so that one of the two is not "
                     "its usual rate: it was still warming up (measure longer: -t), or its work differs from start to "
                     "start")
    lost = sum(turn.lost for turns in measuring.turns.values() for turn in turns)
    if lost:
        found.append(f"the server told of {lost} changes fewer than there were: some bursts are missing")
    return found


def busy(turns):
    return statistics.median(intervals.total(turn.seen[URGENT].working(turn.begin, turn.end)) /
                             max(turn.end - turn.begin, 1) for turn in turns)


def notes_of(measuring):
    turns = measuring.turns
    notes = [f"alone the urgent program has work {busy(turns['alone']) * 100:.0f} % of the time"]
    again = sum(turn.runs[OTHER] - 1 for way in ("native", "xsched") for turn in turns[way])
    if again:
        notes.append(f"the other program ended before the urgent one, and was started again {again} times")
    if not any(turn.walls for each in turns.values() for turn in each):
        notes.append(f"no program ended by itself within {measuring.limit:.1f} s, so that wall times are not known and "
                     "what following costs was not measured; a longer -t gives them time")
    return notes


def conclude(measuring, watch):
    turns = measuring.turns
    alone_rate = statistics.median(turn.rate(URGENT) for turn in turns["alone"])
    other_rate = alone_rate if measuring.same else statistics.median(turn.rate(OTHER) for turn in turns["other alone"])
    ways = []
    for title, name, way in WAYS:
        kept = [turn.rate(OTHER) / other_rate for turn in turns[way]] if way != "alone" and other_rate else []
        ways.append(comparison.Way(title, name, way, *latency_of(turns[way]), kept, lane_of(turns[way][0])))
    last = turns["xsched"][-1].seen[OTHER]
    return Found(
        ways=ways, walls=walls(measuring),
        commands=[("urgent", measuring.titles[URGENT]), ("the other", measuring.titles[OTHER])],
        rates={way: [turn.rate(URGENT) / alone_rate if alone_rate else 0.0 for turn in turns[way]]
               for way in ("native", "xsched")},
        rounds=measuring.rounds, limit=measuring.limit, measured=measuring.ways, together=together(turns["native"]),
        busy=busy(turns["xsched"]), other_command_ms=last.command_ms, level=last.level,
        devices=set().union(*(turn.seen[URGENT].devices for turn in turns["alone"])),
        doubts=doubts_of(measuring, watch, ways), notes=[*notes_of(measuring), watch.says],
        version=measuring.told["version"], date=datetime.date.today().isoformat())


def numbers(found):
    return {"ok": True, "verdict": verdict_of(found), "ways": comparison.numbers(found.ways),
            "wall_s": [{"what": title, "by_round": values} for title, values, _ in found.walls],
            "urgent_rate_of_alone_by_round": found.rates, "doubts": found.doubts, "notes": found.notes}
