"""The main job, measured: bursts of short kernels (hp) beside a program that keeps the device full (lp)."""
import bisect
from dataclasses import dataclass, field

from . import report

HP_KERNEL_MS, HP_KERNELS, PERIOD_MS = 1.0, 20, 60.0  # where the device is a CPU
LP_KERNEL_MS, LP_DEPTH = 5.0, 16
HP_PRIORITY = ["--priority", "10"]
LP_PRIORITY = []

# (name, what is started, under XSched?)
SCENARIOS = {
    "alone": ("alone", False),
    "native": ("shared natively", False),
    "xsched": ("shared under XSched", True),
    "alone_xsched": ("alone under XSched", True),
}


@dataclass
class Workload:
    """What the two programs do on a kind of device."""
    hp_kernel_ms: float
    lp_kernel_ms: float
    hp_options: dict
    pause_ms: float = 0   # between two bursts, on average; 0: the options say the period
    says: str = ""        # for people

    def period_ms(self, burst_ms):
        """From burst to burst, if one takes `burst_ms`."""
        return burst_ms + self.pause_ms if self.pause_ms else self.hp_options["period-ms"]


ON_CPU = Workload(HP_KERNEL_MS, LP_KERNEL_MS, {"period-ms": PERIOD_MS, "burst-kernels": HP_KERNELS},
                  says=f"{HP_KERNELS} kernels of {HP_KERNEL_MS:g} ms every {PERIOD_MS:g} ms")
ON_GPU = Workload(0.007, 0.3, {"burst-kernels": 100, "sync-every": 5, "pause-ms": 12, "pause-max-ms": 18}, 15,
                  "100 kernels of 7 us, waiting for every 5, at pauses of 12 to 18 ms")


@dataclass
class Measured:
    """All rounds of one scenario."""
    latency_ms: list = field(default_factory=list)     # per burst
    first_start_ms: list = field(default_factory=list)  # per burst: its first kernel's wait to start
    drain_ms: list = field(default_factory=list)        # per burst: from its start to the last lp kernel's end in it
    lp_kernels: float = 0
    lp_seconds: float = 0

    @property
    def lp_rate(self):
        return self.lp_kernels / self.lp_seconds if self.lp_seconds else 0.0


class MainJob:
    def __init__(self, session, progress, hp_options=None, lp_options=None, lp_environment=None, workload=ON_CPU):
        self.session, self.progress, self.workload = session, progress, workload
        self.hp_options = {**workload.hp_options, **(hp_options or {})}
        self.lp_options = {"depth": LP_DEPTH, "until-eof": 1, "seconds": 600, **(lp_options or {})}
        self.lp_environment = lp_environment
        self.results = {name: Measured() for name in SCENARIOS}

    def start_hp(self, seconds, xsched):
        return self.session.start("hp", {**self.hp_options, "seconds": seconds}, HP_PRIORITY if xsched else None)

    def start_lp(self, xsched):
        return self.session.start("lp", self.lp_options, LP_PRIORITY if xsched else None, self.lp_environment)

    def run(self, name, seconds):
        """One round of a scenario."""
        label, xsched = SCENARIOS[name]
        self.progress.doing(label)
        if name.startswith("alone"):
            self.keep_hp(name, self.start_and_finish_hp(seconds, xsched))
            lp = self.start_lp(xsched)
            lp.wait_ready(self.progress)
            self.progress.wait(seconds)
            done = [row[0] for row in lp.finish(self.progress, 5)]
            self.keep_lp(name, done, done[0], done[-1])
            return
        lp = self.start_lp(xsched)
        lp.wait_ready(self.progress)
        bursts = self.start_and_finish_hp(seconds, xsched)
        done = [row[0] for row in lp.finish(self.progress, 5)]
        self.keep_hp(name, bursts)
        self.keep_lp(name, done, bursts[0][0], bursts[-1][0])  # whole periods
        for begin, latency, *_ in bursts:
            inside = done[bisect.bisect_right(done, begin):bisect.bisect_right(done, begin + latency)]
            self.results[name].drain_ms.append((inside[-1] - begin) / 1e6 if inside else 0.0)

    def start_and_finish_hp(self, seconds, xsched):
        hp = self.start_hp(seconds, xsched)
        hp.wait_ready(self.progress)
        return hp.finish(self.progress, seconds)

    def keep_hp(self, name, bursts):
        self.results[name].latency_ms += [row[1] / 1e6 for row in bursts]
        self.results[name].first_start_ms += [row[2] / 1e6 for row in bursts if len(row) > 2]

    def keep_lp(self, name, done, begin, end):
        self.results[name].lp_kernels += sum(begin < when <= end for when in done)
        self.results[name].lp_seconds += (end - begin) / 1e9

    # --- what comes out

    def latency(self, name):
        return report.summary(self.results[name].latency_ms)

    def lp_share(self, name):
        """LP's rate as a part of its rate alone."""
        return self.results[name].lp_rate / self.results["alone"].lp_rate

    def lp_share_left(self, name):
        """LP's rate as a part of what HP leaves it: its rate alone in the time that HP's bursts do not need."""
        burst_ms = report.percentile(self.results["alone"].latency_ms, 50)
        return self.lp_share(name) / (1 - burst_ms / self.workload.period_ms(burst_ms))

    def table(self, names):
        digits = 1 if self.workload is ON_CPU else 3
        rows = [("", "high: p50 ms", "p99 ms", "max ms", "low: kernels/s", "of alone", "of the time left")]
        for name in names:
            if not self.results[name].latency_ms:
                continue
            latency, measured = self.latency(name), self.results[name]
            left = f"{self.lp_share_left(name) * 100:.0f}%" if not name.startswith("alone") else "-"
            rows.append((SCENARIOS[name][0], *(f"{latency[which]:.{digits}f}" for which in ("p50", "p99", "max")),
                         f"{measured.lp_rate:.1f}", f"{self.lp_share(name) * 100:.0f}%", left))
        return report.table(rows)

    def metrics(self):
        found = {}
        for name, measured in self.results.items():
            if measured.latency_ms:
                found[name] = {"hp_latency_ms": self.latency(name), "lp_kernels_per_s": measured.lp_rate,
                               "lp_share_of_alone": self.lp_share(name)}
                if measured.first_start_ms:
                    found[name]["hp_first_start_ms"] = report.summary(measured.first_start_ms)
                if not name.startswith("alone"):
                    found[name]["lp_drain_ms"] = report.summary(measured.drain_ms)
                    found[name]["lp_share_of_time_left"] = self.lp_share_left(name)
        return found
