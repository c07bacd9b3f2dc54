"""The findings about the user's programs (lib/own_findings.py), in plain English."""
import statistics

from . import comparison, gain
from .document import percent, time_text

LEAST_LEFT = 0.05     # of all time: what is left of less says nothing
SELDOM = 0.2          # of the urgent program's working time, during which the other one has work too


def quantile_words(which):
    return "median" if which == 50 else f"p{which}"


def keeps_words(found, who="the other one keeps"):
    _, native, xsched = found.ways
    if xsched.keeps is None:
        return ""
    words = f"{who} {percent(xsched.keeps)} of its rate alone"
    if native.keeps is not None:
        words += f" (natively {percent(native.keeps)})"
    return words + (f": the urgent one has work {percent(found.busy)} of the time" if found.busy else "")


def kept_of_rest(found):
    """The other program's rate, of its rate alone in the time that the urgent one leaves; None: it leaves hardly any.
    Beside each other on one device both may have more."""
    keeps, left = found.ways[-1].keeps, 1 - (found.busy or 0)
    return None if keeps is None or left < LEAST_LEFT else min(keeps / left, 1)


def why_nothing(found):
    if found.together is not None and found.together < SELDOM:
        return f", because the two seldom meet (the other one has work during {percent(found.together)} of its time)"
    return ""


def why_not(found):
    if found.level is not None and found.level < 3 and found.other_command_ms:
        return "what runs must end first: the other one's commands take " \
               f"{time_text(found.other_command_ms * 1e3)}, and level {found.level} is what its queues have " \
               "(levels.md)"
    return "'xcli explain --slow' tells of each long burst what it waited for"


def by_bursts(found):
    """The verdict where bursts were seen."""
    judged = gain.judge(*(way.latency_us for way in found.ways), kept_of_rest(found),
                        "its rate alone outside the urgent one's bursts")
    if judged.gain == gain.NO_VERDICT:
        return f"No verdict: {judged.says}. Measure on a quiet machine, or for longer (-t)."
    told = judged.says.removeprefix("it does not help here: ")
    kept = "; ".join(filter(None, [told, keeps_words(found, "in all, bursts included,")]))
    if judged.gain == gain.NOTHING_TO_GAIN:
        return f"There is nothing to gain here{why_nothing(found)}: {kept}."
    if judged.gain == gain.NO_GAIN:
        return f"XSched does not help here, because {why_not(found)}: {kept}."
    return f"{kept[0].upper()}{kept[1:]}. Alone there is nothing to gain."


def by_rates(found):
    """The verdict of an urgent program that has work all the time, or too few bursts."""
    native, xsched = (statistics.median(found.rates[way]) for way in ("native", "xsched"))
    what = "The urgent program was seldom seen to be idle, so its completed commands are counted"
    if xsched > native * gain.NOTICEABLE:
        return f"{what}: under XSched it gets {percent(xsched)} of its rate alone, natively {percent(native)}; " \
               f"{keeps_words(found)}."
    if native > 1 / gain.CHEAP:
        return f"{what}: natively it gets {percent(native)} of its rate alone, so that there is nothing to gain " \
               f"(under XSched {percent(xsched)})."
    return f"{what}: natively it gets {percent(native)} of its rate alone, under XSched {percent(xsched)}. XSched " \
           f"does not help here, because {why_not(found)}."


def verdict_of(found):
    said = by_rates(found) if comparison.tail_of(found.ways) is None else by_bursts(found)
    if not found.doubts or said.startswith("No verdict"):
        return said
    return f"No verdict: {'; '.join(found.doubts)}. As it was measured: {said}"
