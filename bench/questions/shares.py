"""Does each program get what its policy promises: shares and limits of busy programs, deadlines of periodic ones?"""
from collections import defaultdict
from dataclasses import dataclass

from lib import rounds, workloads
from lib.document import Document, NotHere, percent, shown
from lib.guarded import Guarded

from .partition import server_has

NAME, WEIGHT = "shares", 14
LEAST_SECONDS = 1.0
SETTLE_SECONDS = 1.5        # until turns, histories and anticipation are what they stay
BUSY_MS = {"gpu": 0.5, "cpu": 2}
MOST_OFF_POINTS = {"UP": 1, "PUP": 1, "CFS": 2}


@dataclass(frozen=True)
class Case:
    title: str
    policy: str
    hints: tuple            # of each program: {variable without its prefix: value}
    expected: tuple         # percent of what all of them got; of the device, where `of_device`
    of_device: bool = False


CASES = (
    Case("UP, 75 and 25", "UP", ({"UTILIZATION": 75}, {"UTILIZATION": 25}), (75, 25)),
    Case("PUP, 75 and 25", "PUP", ({"SHARE": 75}, {"SHARE": 25}), (75, 25)),
    Case("PUP, 60, 30 and 10, each its limit", "PUP",
         tuple({"SHARE": share, "LIMIT": share} for share in (60, 30, 10)), (60, 30, 10)),
    Case("PUP, limits 40 and 20", "PUP", ({"LIMIT": 40}, {"LIMIT": 20}), (40, 20), of_device=True),
    Case("CFS, four equals", "CFS", ({}, {}, {}, {}), (25, 25, 25, 25)),
)
# Periodic tasks (period and deadline, work) in ms, which need 80 percent of the device. With equal turns the first
# task misses its deadlines.
TASKS = ((20, 8), (60, 8), (80, 12), (100, 12))
DEADLINE_WAYS = {"native": None, "LAX": "LAX", "KEDF": "KEDF"}


def deadline_hints(policy, period_ms, work_ms):
    """Due at the end of its period; under LAX less urgent than anything until so much of it has gone."""
    hints = {"DEADLINE": int(period_ms * 1000)} if policy else {}
    if policy == "LAX":
        hints |= {"LAXITY": int(min(2 * work_ms, 0.6 * period_ms) * 1000), "LAX_PRIORITY": -1, "CRITICAL_PRIORITY": 1}
    return hints


class Shares(Guarded):
    def __init__(self, suite):
        self.suite, self.seconds = suite, suite.profile.seconds
        self.on_cpu = suite.workload is workloads.CPU
        self.kernel_ms = BUSY_MS["cpu" if self.on_cpu else "gpu"]
        self.steps = suite.session.calibrate(self.kernel_ms)
        self.scale = 5 if self.on_cpu else 1     # of the tasks' times
        self.alone, self.got, self.late, self.failures = [], defaultdict(list), defaultdict(list), []

    def start(self, program, options, policy, hints):
        environment = {f"XSCHED_AUTO_XQUEUE_{name}": str(value) for name, value in hints.items()}
        prefix = self.suite.session.under_xsched() if policy else self.suite.peer(self.suite.baseline).prefix("lp")
        return self.suite.session.start(program, {"steps": self.steps, "until-eof": 1, "seconds": 3600, **options},
                                        prefix, environment)

    def together(self, policy, planned, seconds):
        """The rows of (program, options, hints), once all of them run and for `seconds` in which all did."""
        progress, session = self.suite.progress, self.suite.session
        if policy:
            session.xcli("policy", "-s", policy)
        running = [self.start(program, options, policy, hints) for program, options, hints in planned]
        for each in running:
            each.wait_ready(progress)
        progress.wait(SETTLE_SECONDS + seconds)
        return [each.finish(progress, 30) for each in running]

    def busy(self, policy, hints, seconds):
        """Kernels per second of busy programs in the last `seconds` in which all of them ran."""
        rows = self.together(policy, [("lp", {"depth": self.suite.workload.depth}, each) for each in hints], seconds)
        end = min(each[-1][0] for each in rows)
        return [sum(end - seconds * 1e9 < row[0] <= end for row in each) / seconds for each in rows]

    def run_alone(self):
        self.guarded("one busy program alone",
                     lambda: self.alone.append(self.busy(None, ({},), min(self.seconds, 3))[0]))

    def run_case(self, case):
        self.guarded(case.title, lambda: self.got[case.title].append(self.busy(case.policy, case.hints, self.seconds)))

    def run_deadlines(self, way, policy):
        def body():
            planned = []
            for period, work in TASKS:
                options = {"period-ms": period * self.scale,
                           "burst-kernels": max(round(work * self.scale / self.kernel_ms), 1)}
                planned.append(("hp", options, deadline_hints(policy, period * self.scale, work * self.scale)))
            found = self.together(policy, planned, self.seconds)
            begin = min(rows[-1][0] for rows in found) - self.seconds * 1e9
            self.late[way].append([[latency / 1e6 / self.scale for start, latency in rows if start > begin]
                                   for rows in found])
        self.guarded(f"deadlines, {way}", body)

    def shares(self, case):
        """Percent, by program, of all rounds; None if nothing was measured."""
        found = self.got.get(case.title)
        if not found or not self.alone:
            return None
        rates = [sum(column) / len(found) for column in zip(*found)]
        whole = sum(self.alone) / len(self.alone) if case.of_device else sum(rates)
        return [rate / whole * 100 for rate in rates] if whole else None

    def latencies(self, way, task):
        return [latency for found in self.late.get(way, []) for latency in found[task]]


def here(suite):
    if suite.peer("xsched") is None:
        raise NotHere("XSched is not among the peers")
    for policy in sorted({case.policy for case in CASES} | {"KEDF", "LAX"}):
        if not server_has(suite.session, policy):
            raise NotHere(f"this version has no policy {policy}")


def answer(suite, deadline):
    found = Shares(suite)
    plan = [[lambda number: found.run_alone(),
             *[lambda number, case=case: found.run_case(case) for case in CASES],
             *[lambda number, way=way, policy=policy: found.run_deadlines(way, policy)
               for way, policy in DEADLINE_WAYS.items()]]]
    done = suite.run_rounds(found, plan, deadline, LEAST_SECONDS, most_seconds=10,
                            pace=rounds.Pace(SETTLE_SECONDS + 2))
    suite.session.xcli("policy", "-s", "HPF")
    out = Document(NAME, "Shares, limits and deadlines", "Does each program get what its policy promises?")
    add_shares(out, found)
    add_deadlines(out, found)
    out.failures = found.failures
    out.notes = [rounds.says(done, found.seconds), f"busy programs: kernels of {found.kernel_ms:g} ms without end; "
                 f"the first {SETTLE_SECONDS:g} s do not count"]
    out.raw = {"alone_per_s": found.alone, "kernels_per_s": dict(found.got), "seconds": found.seconds}
    return out


def add_shares(out, found):
    rows = [["policy", "promised %", "got %", "most off, points"]]
    for case in CASES:
        shares = found.shares(case)
        off = max(abs(got - expected) for got, expected in zip(shares, case.expected)) if shares else None
        rows.append([case.title, " ".join(map(str, case.expected)),
                     " ".join(f"{share:.1f}" for share in shares) if shares else "-", shown(off)])
        for number, rates in enumerate(zip(*found.got.get(case.title, [])), 1):
            out.add_rounds(f"{case.title}, program {number}: kernels per second", rates, lambda value: f"{value:.0f}")
        limit = MOST_OFF_POINTS[case.policy] + (1 if case.of_device else 0)
        out.targets.append((f"{case.title}: points off", off, "<=", limit, ""))
    out.add_table("Busy programs, of what all of them got (limits: of the device)", rows)


def add_deadlines(out, found):
    rows = [["period ms (work ms)", *[f"{way}: late, longest ms" for way in DEADLINE_WAYS]]]
    late, count = defaultdict(int), defaultdict(int)
    for number, (period, work) in enumerate(TASKS):
        cells = []
        for way in DEADLINE_WAYS:
            latencies = found.latencies(way, number)
            out.add_samples(f"{way}, period {period * found.scale} ms: length of a burst",
                            [latency * found.scale * 1e3 for latency in latencies])
            missed = sum(latency > period for latency in latencies)
            late[way], count[way] = late[way] + missed, count[way] + len(latencies)
            cells.append(f"{missed} of {len(latencies)}, {max(latencies) * found.scale:.1f}" if latencies else "-")
        rows.append([f"{period * found.scale} ({work * found.scale})", *cells])
    rows.append(["all late", *[percent(late[way] / count[way], 2) if count[way] else "-" for way in DEADLINE_WAYS]])
    out.add_table("Periodic programs, 80 percent of the device, each burst due at its period's end", rows)
    late = {way: late[way] if count[way] else None for way in DEADLINE_WAYS}
    between = None if None in late.values() else int(late["KEDF"] <= late["LAX"] <= late["native"])
    out.targets += [("KEDF: bursts past their deadline", late["KEDF"], "<=", 0, ""),
                    ("natively: bursts past their deadline", late["native"], ">=", 1, ""),
                    ("LAX: no more late than natively, no fewer than under KEDF", between, ">=", 1, "")]
