"""What was found of somebody's programs (lib/own_findings.py), in plain English."""
import statistics

from . import comparison, verdict
from .document import percent, time_text

HELPED = 0.9          # under XSched, of natively: less is a gain
SELDOM = 0.2          # of the urgent program's working time, during which the other one has work too


def quantile_words(which):
    return "median" if which == 50 else f"p{which}"


def compared(found, which):
    alone, native, xsched = found.ways
    return f"alone {time_text(alone.at(which))}, natively {time_text(native.at(which))}, under XSched " \
           f"{time_text(xsched.at(which))}"


def keeps_words(found):
    _, native, xsched = found.ways
    if xsched.keeps is None:
        return ""
    words = f"the other one keeps {percent(xsched.keeps)} of its rate alone"
    if native.keeps is not None:
        words += f" (natively {percent(native.keeps)})"
    return words + (f", while the urgent one has work {percent(found.busy)} of the time" if found.busy else "")


def certain(one, other, which):
    """Whether the intervals of a quantile do not overlap. That of a high quantile of few bursts has no end."""
    (low, high), (from_, to) = one.bounds(which), other.bounds(which)
    return (high is not None and from_ is not None and high < from_) or \
        (to is not None and low is not None and to < low)


def why_nothing(found):
    if found.together is not None and found.together < SELDOM:
        return f"the two seldom meet: the other one has work during {percent(found.together)} of its working time"
    return "the device runs them beside each other without making it wait"


def why_not(found):
    if found.level is not None and found.level < 3 and found.other_command_ms:
        return "what runs must end first: the other one's commands take " \
               f"{time_text(found.other_command_ms * 1e3)}, and level {found.level} is what its queues have " \
               "(docs/levels.md)"
    return "'xcli explain --slow' tells of each long burst what it waited for"


def by_bursts(found, which):
    """The verdict where bursts were seen."""
    alone, native, xsched = found.ways
    name = quantile_words(which)
    costs = max(native.at(q) / alone.at(q) for q in {50, which})
    if min(native.at(50), xsched.at(50)) < verdict.TOO_FAST * alone.at(50):
        return f"No verdict: beside the other one the urgent program was faster than alone (median: " \
               f"{compared(found, 50)}), so that something else decided it. Measure on a quiet machine, or for " \
               "longer (-t)."
    if costs < verdict.NOTHING_TO_GAIN:
        return f"There is nothing to be gained, because {why_nothing(found)}: the urgent program's {name} is " \
               f"{compared(found, which)}."
    best = min({50, which}, key=lambda q: xsched.at(q) / native.at(q))
    if xsched.at(best) > HELPED * native.at(best):
        return f"XSched does not help here, because {why_not(found)}. The urgent program's {name}: " \
               f"{compared(found, which)}."
    shown = which if xsched.at(which) <= HELPED * native.at(which) else best
    if xsched.at(shown) < verdict.TOO_FAST * alone.at(shown):
        return f"No verdict: alone, the urgent program's {quantile_words(shown)} was longer than beside the other " \
               f"one ({compared(found, shown)}), so that something else decided it. Measure on a quiet machine, or " \
               "for longer (-t)."
    words = f"The urgent program's {quantile_words(shown)} falls from {time_text(native.at(shown))} natively to " \
            f"{time_text(xsched.at(shown))} (alone {time_text(alone.at(shown))})"
    kept = keeps_words(found)
    words += f"; {kept}" if kept else ""
    if not any(certain(native, xsched, q) for q in {shown, 90, 50} if q <= shown):
        words += "; the intervals overlap, so that this is not certain: measure for longer (-t)"
    return words + ". Alone there is nothing to be gained."


def by_rates(found):
    """The verdict of an urgent program that has work all the time, or too few bursts."""
    native, xsched = (statistics.median(found.rates[way]) for way in ("native", "xsched"))
    what = "The urgent program was seldom seen to be idle, so its completed commands are counted"
    if xsched > native / HELPED:
        return f"{what}: under XSched it gets {percent(xsched)} of its rate alone, natively {percent(native)}; " \
               f"{keeps_words(found)}."
    if native > 1 / verdict.NOTHING_TO_GAIN:
        return f"{what}: natively it gets {percent(native)} of its rate alone, so that there is nothing to be " \
               f"gained (under XSched {percent(xsched)})."
    return f"{what}: natively it gets {percent(native)} of its rate alone, under XSched {percent(xsched)}. XSched " \
           f"does not help here, because {why_not(found)}."


def verdict_of(found):
    which = comparison.tail_of(found.ways)
    said = by_rates(found) if which is None else by_bursts(found, which)
    if not found.doubts or said.startswith("No verdict"):
        return said
    return f"Not certain, because {'; '.join(found.doubts)}. As it was measured: {said}"
