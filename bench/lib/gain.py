"""The one statistic behind the verdicts of the demo, `xcli report` and the acceptance tests: does a way to share a
device help the urgent program? src/cli/doctor/gain.h is the same for `xcli doctor --run`, with the reasons for each
number; tests/support/situations.json holds both to the same answers."""
from dataclasses import dataclass, field

from . import spread

GAIN, NOTHING_TO_GAIN, NO_GAIN, NO_VERDICT = "gain", "nothing to gain", "no gain", "no verdict"

CHEAP = 1.2          # natively shared, of alone: there is nothing to gain
NOTICEABLE = 1 / 0.9  # what is certain and smaller concerns no user
TOO_FAST = 0.9       # of alone: another load slowed it alone
STEADY = 1.3         # ratio of the bounds of the median alone
LEAST_KEPT, MOST_KEPT = 0.5, 1.5  # by the other program


@dataclass(frozen=True)
class Judged:
    gain: str
    says: str
    shorter: tuple = field(default=())  # of 50 and 99: the percentiles that are shorter than natively for certain


@dataclass(frozen=True)
class Quantile:
    ms: float
    low: float
    high: float

    def surely_below(self, other):
        return self.high is not None and other.low is not None and self.high < other.low

    def __str__(self):
        within = spread.shown(self.low, self.high, number, " to ", "too few for an interval")
        return f"{number(self.ms)} ms ({within})"


def number(ms):
    return f"{ms:.3g}" if ms < 100 else f"{ms:.0f}"


def percent(part):
    return f"{100 * part:.0f} %"


def quantile(values_us, which):
    found = (spread.quantile(values_us, which), *spread.interval(values_us, which))
    return Quantile(*(None if us is None else us / 1e3 for us in found))


@dataclass(frozen=True)
class Compared:
    """One percentile of the urgent program's bursts."""
    which: int
    alone: Quantile
    native: Quantile
    shared: Quantile

    def noticeable(self):
        return self.shared.ms * NOTICEABLE <= self.native.ms

    def shorter(self):
        return self.noticeable() and self.shared.surely_below(self.native)

    def longer(self):
        return self.shared.ms >= self.native.ms * NOTICEABLE and self.native.surely_below(self.shared)

    def costs(self):
        return self.native.ms >= CHEAP * self.alone.ms and self.alone.surely_below(self.native)

    def change(self, way):
        verb = "falls" if self.shorter() else "grows" if self.longer() else "goes"
        return f"p{self.which} {verb} from {self.native} natively to {self.shared} {way}, alone " \
               f"{number(self.alone.ms)} ms"


def contradiction(ways, kept=None, kept_of=""):
    """Why the figures themselves prove nothing, as a sentence; empty: they may. `ways`: {words: latencies in us, in the
    order of time}, alone first and the judged way last."""
    for name, values in ways.items():
        if not values:
            return f"no burst was measured {name}"
    medians = {name: quantile(values, 50) for name, values in ways.items()}
    for name, median in medians.items():
        if None in (median.low, median.high):
            return f"the {len(ways[name])} bursts {name} are too few, or too different, for a median"
    (_, alone), *others = medians.items()
    if alone.high > STEADY * alone.low:
        return f"alone, the urgent program's median is not steady: {alone}"
    for name, median in others:
        if median.ms < TOO_FAST * alone.ms and median.surely_below(alone):
            return f"the urgent program was faster {name} than alone ({median}, {alone}): something else slowed it " \
                   "alone"
    if kept is not None and kept > MOST_KEPT:
        return f"the other program did {percent(kept)} of {kept_of} {list(ways)[-1]}: its kernels did not take as " \
               "long in both runs (another load, or another compilation)"
    return ""


def judge(alone_us, native_us, shared_us, kept=None, kept_of="its native rate", way="under XSched", doubts=()):
    """`doubts`: what else speaks against the figures, as sentences; they excuse a failure, and spoil a success."""
    reasons = [doubt for doubt in doubts if doubt]
    why = contradiction({"alone": alone_us, "natively": native_us, way: shared_us}, kept, kept_of)
    if reasons or why:
        return Judged(NO_VERDICT, "; ".join([*reasons, why] if why else reasons))
    median, tail = (Compared(which, *(quantile(values, which) for values in (alone_us, native_us, shared_us)))
                    for which in (50, 99))
    victim = f"; the other program keeps {percent(kept)} of {kept_of}" if kept is not None else ""
    if median.native.ms < CHEAP * median.alone.ms and not tail.costs():
        few = tail.alone.high is None or tail.native.low is None
        return Judged(NOTHING_TO_GAIN, "this device runs both programs without making the urgent one wait: its p50 is "
                      f"{median.native} natively, {median.alone} alone" +
                      (f"; {min(len(alone_us), len(native_us))} bursts are too few to tell of the p99" if few else "") +
                      (f"; it takes {median.shared} {way}" if median.longer() else "") + victim)
    return weighed(median, tail, way, kept, kept_of, victim)


def weighed(median, tail, way, kept, kept_of, victim):
    both = (median, tail)
    shorter = tuple(each.which for each in both if each.shorter())
    gains, may = ("; ".join(each.change(way) for each in both if each.noticeable() and each.shorter() == sure)
                  for sure in (True, False))
    no_gain = Judged(NO_GAIN, f"it does not help here: the urgent program's {median.change(way)}; {tail.change(way)}"
                     f"{victim}", shorter)
    if any(each.longer() for each in both):
        return no_gain
    if kept is not None and kept < LEAST_KEPT and (gains or may):
        changes = "; ".join(filter(None, (gains, may)))
        return Judged(NO_GAIN, f"the other program keeps {percent(kept)} of {kept_of}, and at least "
                      f"{percent(LEAST_KEPT)} are promised: the urgent program's {changes}", shorter)
    if gains:
        return Judged(GAIN, f"the urgent program's {gains}{victim}", shorter)
    if may:
        return Judged(NO_VERDICT, "the intervals overlap, so that a gain is not certain (measure for longer): the "
                      f"urgent program's {may}")
    return no_gain
