"""Does AUTO, told nothing, do what was asked: urgent bursts, equal shares, changed roles, liars, targets, tenants?"""
import json
import subprocess
import time

from lib import report, workloads
from lib.document import Document, NotHere, shown
from lib.guarded import Guarded

from .partition import server_has

NAME, WEIGHT = "auto", 20
SETTLE_SECONDS = 1.2        # after a change of policy, of a target or of roles
PAIR_SECONDS = 2.5
PAIR_LENGTHS = {"gpu": (0.05, 0.3, 1, 3), "cpu": (1, 5)}  # of low's kernels, ms
BUSY_MS = {"gpu": 1, "cpu": 2}                            # of kernels of programs that only compete
FACTORS = (2, 1.6, 1.3, 1.1, 1.05)                        # latency targets, of the time alone
MOST_P99, MOST_RATE_POINTS, PAIRS_PERCENT = 1.15, 3, 90
MOST_LIE_PERCENT, MOST_SETTLE_SECONDS, TARGET_MET_PERCENT, EQUAL_POINTS = 5, 1, 99, 2
# Programs that pretend to have brief bursts, to be preferred by AUTO: (title, options of the program hp).
LIARS = (("waits after every kernel", {"burst-kernels": 50, "sync-every": 1, "pause-ms": 0}),
         ("rests 1 ms after every 5 kernels", {"burst-kernels": 5, "pause-ms": 1, "pause-max-ms": 1}),
         ("rests 4 ms after every 10 kernels", {"burst-kernels": 10, "pause-ms": 4, "pause-max-ms": 4}))


def p99(latencies):
    return report.percentile(latencies, 99) if latencies else None


def target_outcome(outcomes):
    """Judges targets given as (percent of bursts within, whether AUTO calls it impossible). A target that
    is called impossible need not be met; one that is not met must be called so."""
    possible = [within for within, impossible in outcomes if not impossible]
    least = min(possible, default=0) if outcomes else None
    needless = sum(bool(impossible) and within >= TARGET_MET_PERCENT for within, impossible in outcomes)
    return [("targets that AUTO does not call impossible: bursts within the worst met", least, ">=",
             TARGET_MET_PERCENT, "%"),
            ("targets that AUTO calls impossible and that are met", needless if outcomes else None, "<=", 0, "")]


class Window:
    """A stretch of time, and what the rows of a program say of it: the rows of hp are (start, latency), of lp (end)."""

    def __init__(self, begin, end):
        self.begin, self.end = begin, end

    def latencies_ms(self, rows):
        return [row[1] / 1e6 for row in rows if self.begin <= row[0] and row[0] + row[1] <= self.end]

    def slow(self, rows, limit_ms):
        """Bursts that took longer: (since the window began in s, latency in ms)."""
        return [(round((row[0] - self.begin) / 1e9, 4), round(row[1] / 1e6, 3)) for row in rows
                if self.begin <= row[0] and row[0] + row[1] <= self.end and row[1] / 1e6 > limit_ms]

    def rate(self, rows):
        """Per second."""
        return sum(self.begin < row[0] <= self.end for row in rows) / ((self.end - self.begin) / 1e9)


class Auto(Guarded):
    def __init__(self, suite, deadline):
        self.suite, self.deadline = suite, deadline
        self.recordings = suite.recordings
        self.on_cpu = suite.workload is workloads.CPU
        kind = "cpu" if self.on_cpu else "gpu"
        self.busy_ms, self.lengths = BUSY_MS[kind], PAIR_LENGTHS[kind]

        def steps(length):
            return suite.session.calibrate(length, 1)

        self.busy_steps, self.hp_steps = steps(self.busy_ms), steps(suite.workload.hp_kernel_ms)
        self.low_steps = {length: steps(length) for length in self.lengths}
        self.failures, self.out, self.raw, self.usual = [], None, {}, None

    def policy(self, name):
        self.suite.session.xcli("policy", "-s", name)

    def wait(self, seconds):
        self.suite.progress.wait(seconds)

    def window(self, seconds, settle=SETTLE_SECONDS):
        self.wait(settle)
        begin = time.monotonic_ns()
        self.wait(seconds)
        return Window(begin, time.monotonic_ns())

    def start(self, name, options, peer=None, **hints):
        """Under XSched, or by that peer."""
        environment = {f"XSCHED_AUTO_XQUEUE_{hint}": str(value) for hint, value in hints.items()}
        prefix = peer.prefix(name) if peer else self.suite.session.under_xsched()
        program = self.suite.session.start(name, {"until-eof": 1, "seconds": 3600, **options}, prefix, environment)
        program.wait_ready(self.suite.progress)
        return program

    def urgent(self, pattern="A", peer=None):
        """Hand-set for HPF; AUTO does not look at it."""
        return self.start("hp", {"steps": self.hp_steps, **self.suite.workload.hp_options(pattern)}, peer, PRIORITY=1)

    def busy(self, length=None, peer=None):
        steps = self.busy_steps if length is None else self.low_steps[length]
        return self.start("lp", {"steps": steps, "depth": self.suite.workload.depth}, peer)

    def finish(self, *started):
        return [program.finish(self.suite.progress, 30) for program in started]

    def record(self, name, seconds):
        """Records the server's view and its decisions from now on, beside the results: for `xsim replay`."""
        session = self.suite.session
        return subprocess.Popen([session.build / "bin" / "xcli", "record", "-o", self.recordings / f"{name}.recording",
                                 "-t", f"{seconds}s"], env=session.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def step(self, title, body):
        """`body`, unless the time is over."""
        if time.monotonic() < self.deadline:
            self.guarded(title, body)

    def pairs(self):
        found = []

        def one(pattern, length, number):
            high, low = self.urgent(pattern), self.busy(length)
            windows = {}
            for policy in ("HPF", "AUTO") if number % 2 == 0 else ("AUTO", "HPF"):
                self.policy(policy)
                windows[policy] = self.window(PAIR_SECONDS)
            high_rows, low_rows = self.finish(high, low)
            found.append((pattern, length, *(part for policy in ("HPF", "AUTO") for part in
                          (p99(windows[policy].latencies_ms(high_rows)), windows[policy].rate(low_rows)))))

        cases = [(pattern, length) for pattern in self.suite.workload.patterns for length in self.lengths]
        for number, (pattern, length) in enumerate(cases):
            self.step(f"pair {pattern} beside {length} ms",
                      lambda pattern=pattern, length=length, number=number: one(pattern, length, number))
        rows, met = [["pattern, low's kernels", "p99 ms, HPF", "AUTO", "times", "low's rate, AUTO of HPF %"]], 0
        for pattern, length, hpf, hpf_rate, auto, auto_rate in found:
            if not (hpf and auto and hpf_rate):
                continue
            percent = auto_rate / hpf_rate * 100
            met += auto / hpf <= MOST_P99 and abs(percent - 100) <= MOST_RATE_POINTS
            rows.append([f"{pattern}, {length:g} ms", shown(hpf), shown(auto), shown(auto / hpf), shown(percent)])
        self.out.add_table("1. Urgent bursts beside kernels without end: AUTO and hand-set HPF", rows)
        percent = met / len(found) * 100 if found else None
        self.out.targets.append((f"pairs with p99 within {MOST_P99} times HPF's and the other's rate within "
                                 f"{MOST_RATE_POINTS} points", percent, ">=", PAIRS_PERCENT, "%"))
        self.raw["pairs"] = found

    def equals(self):
        shares, promoted = [], []

        def body():
            self.policy("AUTO")
            two = [self.busy(), self.busy()]
            window = self.window(4)
            said = [each for program in two for each in self.says(program.process.pid)]
            promoted.append(sum("go first" in each for each in said))
            self.raw["equals_says"] = said
            rates = [window.rate(rows) for rows in self.finish(*two)]
            shares.append([rate / sum(rates) * 100 for rate in rates])
            self.raw["equal_rate"] = sum(rates) / 2

        self.step("two equals", body)
        off = abs(shares[0][0] - 50) if shares else None
        self.out.add_table("2. Two equals", [["", "got %"], ["each", " ".join(f"{each:.1f}" for each in shares[0])
                                                            if shares else "-"]])
        self.out.targets += [("two equals: points off 50", off, "<=", EQUAL_POINTS, ""),
                             ("two equals: programs that AUTO prefers", promoted[0] if promoted else None, "<=", 0, "")]

    def swap(self):
        times = []

        def body():
            self.policy("AUTO")
            options = {"steps": self.hp_steps, "lp-steps": self.busy_steps, "depth": self.suite.workload.depth,
                       **self.suite.workload.hp_options("A")}
            two = [self.start("swap", {**options, "turns": turns}) for turns in (0, 1)]
            self.wait(3)
            moments = []
            for _ in range(2):
                moments.append(time.monotonic_ns())
                for program in two:
                    program.begin()
                self.wait(4)
            moments.append(time.monotonic_ns())
            rows = self.finish(*two)
            for number in (0, 1):
                begin, end = moments[number:number + 2]
                bursts = [row for row in rows[1 - number] if row[1] > 0 and begin < row[0] < end]
                later = sorted(row[1] for row in bursts if row[0] > moments[number] + 2e9)
                if not later:
                    raise ValueError("no burst ended within 4 s after the roles changed")
                usual = later[int(len(later) * 0.9)]
                slow = [row for row in bursts if row[1] > 1.5 * usual and row[0] < moments[number] + 2e9]
                settled = max((row[0] + row[1] - moments[number]) / 1e9 for row in slow) if slow else 0
                times.append((settled, usual / 1e6, len(slow)))

        self.step("roles change", body)
        rows = [["change", "settled after s", "slow bursts until then", "p90 afterwards, ms"]]
        rows += [[number, shown(settled), slow, shown(usual)] for number, (settled, usual, slow) in enumerate(times, 1)]
        self.out.add_table("3. Roles that change while the programs run (slow: over 1.5 times the later p90)", rows)
        worst = max((each[0] for each in times), default=None)
        self.out.targets.append(("roles change: seconds until settled", worst, "<=", MOST_SETTLE_SECONDS, ""))

    def liars(self):
        rows, most = [["beside an honest one", "its kernels/s", "of an equal share %"]], []

        def one(title, options):
            self.policy("AUTO")
            liar = self.start("hp", {"steps": self.busy_steps, **options})
            honest = self.busy()
            window = self.window(4)
            its, others = self.finish(liar, honest)
            rate = window.rate(its) * options["burst-kernels"]
            fair = self.raw.get("equal_rate") or (rate + window.rate(others)) / 2
            rows.append([title, shown(rate), shown(rate / fair * 100)])
            most.append(rate / fair * 100 - 100)

        for title, options in LIARS:
            self.step(f"a liar {title}", lambda title=title, options=options: one(title, options))
        self.out.add_table("4. Batch work that pretends", rows)
        self.out.targets.append(("a liar's gain", max(most, default=None), "<=", MOST_LIE_PERCENT, "%"))

    def says(self, pid):
        """Returns AUTO's notes on that process's queues, as sentences."""
        listed = json.loads(self.suite.session.xcli("list", "--json").split("\n", 1)[1])
        return [queue.get("policy_says") or "" for queue in listed["queues"] if queue["pid"] == pid]

    def said_of_target(self, pid):
        """Returns whether AUTO calls the target of that process one that cannot be met; None: it says nothing of it."""
        said = [each for each in self.says(pid) if "target" in each]
        return any("cannot be met" in each for each in said) if said else None

    def frontier(self):
        found, alone = [], []

        def body():
            self.policy("AUTO")
            high = self.urgent("A")
            window = self.window(3, 0.5)
            recorder = self.record("frontier", 13)  # the first of these windows
            low = self.busy(self.lengths[1])
            # AUTO's measurements come first, without another policy in between, after which AUTO would have forgotten
            # how long bursts take alone.
            ways = [("AUTO", None, None)] + [(f"AUTO, target {factor:g}x", None, factor) for factor in FACTORS]
            ways += [("HPF, priority set by hand", "HPF", None), ("UP, 50 and 50", "UP", None)]
            measured = []
            for title, policy, factor in ways:
                if policy:
                    self.policy(policy)
                if factor:
                    self.suite.session.xcli("hint", "--pid", str(high.process.pid), "--slo-p99", f"{factor:g}x")
                window_then = self.window(4.5)
                impossible = self.said_of_target(high.process.pid) if factor else None
                measured.append((title, factor, impossible, window_then))
            self.raw["frontier_status"] = self.suite.session.xcli("list")
            recorder.wait(30)
            high_rows, low_rows = self.finish(high, low)
            alone.append(window.latencies_ms(high_rows))
            for title, factor, impossible, each in measured:
                found.append((title, factor, impossible, each.latencies_ms(high_rows), each.rate(low_rows)))
                limit_ms = (factor or 1.5) * report.percentile(alone[0], 50)
                self.raw.setdefault("frontier_slow", {})[title] = each.slow(high_rows, limit_ms)

        self.step("targets", body)
        usual = report.percentile(alone[0], 50) if alone and alone[0] else None
        rows = [["", "p50 ms", "p99 ms", "p99, times alone", "target met %", "AUTO calls it", "low's kernels/s"]]
        outcomes, rates = [], []
        for title, factor, impossible, latencies, rate in found:
            if not latencies or not usual:
                continue
            within = factor and sum(each <= factor * usual for each in latencies) / len(latencies) * 100
            calls = "-" if impossible is None else "impossible" if impossible else "possible"
            rows.append([title, shown(report.percentile(latencies, 50)), shown(p99(latencies)),
                         shown(p99(latencies) / usual), shown(within) if factor else "-", calls, shown(rate)])
            if factor:
                outcomes.append((within, impossible))
                rates.append(rate)
        rows.append(["alone (XSched)", shown(usual), shown(p99(alone[0]) if usual else None), "1", "-", "-", "-"])
        self.out.add_table(f"5. Latency targets, pattern A beside {self.lengths[1]:g} ms (alone: the median)", rows)
        self.out.targets += target_outcome(outcomes)
        rises = all(later <= before * 1.005 for before, later in zip(rates, rates[1:])) if rates else None
        rises = None if rises is None else int(rises)
        self.out.targets.append(("targets: the other's rate rises with the target", rises, ">=", 1, ""))
        self.raw["frontier"] = [(title, factor, impossible, p99(latencies), rate)
                                for title, factor, impossible, latencies, rate in found]
        self.raw["alone_ms"] = alone
        self.usual = usual

    def beside_others(self):
        """The same pair without XSched, as points beside the frontier; MPS last, as its server stays until the end."""
        def one(peer):
            high, low = self.urgent("A", peer), self.busy(self.lengths[1], peer)
            window = self.window(4.5)
            high_rows, low_rows = self.finish(high, low)
            self.raw["frontier"].append((peer.title, None, None, p99(window.latencies_ms(high_rows)),
                                         window.rate(low_rows)))

        self.raw.setdefault("frontier", [])
        for name in ("native", "mps"):
            peer = self.suite.peer(name)
            if peer:
                self.step(f"the pair of the targets, {peer.title}", lambda peer=peer: one(peer))
        self.draw_frontier()

    def draw_frontier(self):
        """Plots the length of the bursts against the other program's rest: targets as a line, all else as points."""
        targets, points = [], []
        for title, factor, _, longest, rate in self.raw["frontier"]:
            if longest and self.usual:
                point = [round(longest / self.usual, 4), round(rate, 1)]
                targets += [point] if factor else []
                points += [] if factor else [(title, point)]
        if not targets and not points:
            return
        series = [{"name": "AUTO, targets of " + ", ".join(f"{factor:g}x" for factor in FACTORS), "peer": "xsched",
                   "points": sorted(targets)}]
        series += [{"name": title, "peer": title, "points": [point]} for title, point in points]
        self.out.plots.append({"kind": "lines", "title": f"Pattern A beside {self.lengths[1]:g} ms: the frontier",
                               "x": "p99 of a burst, times alone", "y": "the other's kernels per second",
                               "log": ["x"], "series": series})
        rows = [["", "p99, times alone", "low's kernels/s"]]
        rows += [[title, shown(x), shown(y)] for title, (x, y) in points]
        self.out.add_table("5. Beside the targets, with and without XSched", rows)

    def tenants(self):
        rows = [["tenants", "urgent p99 ms, HPF", "AUTO", "times", "others' device time, AUTO, points off equal"]]
        worst_times, worst_off = [], []

        def one(patterns, lengths):
            high = [self.urgent(pattern) for pattern in patterns]
            low = [self.busy(length) for length in lengths]
            windows = {}
            for policy in ("HPF", "AUTO"):
                self.policy(policy)
                windows[policy] = self.window(4)
            measured = self.finish(*high, *low)
            longest = {policy: [p99(window.latencies_ms(each)) for each in measured[:len(high)]]
                       for policy, window in windows.items()}
            times = max(auto / hpf for auto, hpf in zip(longest["AUTO"], longest["HPF"]))
            spent = [windows["AUTO"].rate(each) * length for each, length in zip(measured[len(high):], lengths)]
            off = max(abs(each / sum(spent) * 100 - 100 / len(spent)) for each in spent)
            rows.append([f"{len(high)} urgent, {len(low)} busy", " ".join(map(shown, longest["HPF"])),
                         " ".join(map(shown, longest["AUTO"])), shown(times), shown(off)])
            worst_times.append(times)
            worst_off.append(off)

        first, second = self.lengths[0], self.lengths[-1]
        self.step("three tenants", lambda: one("A", (second, second)))
        self.step("five tenants", lambda: one("AB", (first, second, second)))
        self.out.add_table("6. Three and five tenants", rows)
        for what, worst, most in (("urgent p99, times HPF's", worst_times, MOST_P99),
                                  ("points off equal", worst_off, EQUAL_POINTS + 1)):
            self.out.targets.append((f"tenants: {what}", max(worst, default=None), "<=", most, ""))


def here(suite):
    if suite.peer("xsched") is None:
        raise NotHere("XSched is not among the peers")
    if not server_has(suite.session, "AUTO"):
        raise NotHere("this version has no policy AUTO")


def answer(suite, deadline):
    found = Auto(suite, deadline)
    out = found.out = Document(NAME, "AUTO", "Does AUTO, told nothing, do what was asked of it?")
    for part in (found.equals, found.frontier, found.liars, found.swap, found.tenants, found.pairs,
                 found.beside_others):
        part()
    suite.session.xcli("policy", "-s", "HPF")
    out.failures, out.raw = found.failures, found.raw
    out.notes = [f"one run; each figure of {PAIR_SECONDS} to 4.5 s, {SETTLE_SECONDS:g} s after what changed",
                 f"programs that compete run kernels of {found.busy_ms:g} ms"]
    return out
