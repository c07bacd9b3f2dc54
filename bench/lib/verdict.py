"""What a comparison of alone, shared natively and shared under XSched proves: that XSched helps, that it does not, or
nothing, because nothing was to be gained or because something else decided the figures."""
from dataclasses import dataclass

PASSED, FAILED, NONE = "passed", "failed", "no verdict"

NOTHING_TO_GAIN = 1.2  # natively shared, of alone (p50)
TOO_FAST = 0.9         # under XSched, of alone: then it was not XSched that made the difference
PART_TAKEN_AWAY = 0.5  # of what native sharing adds to the median
LOWER_P90 = 0.9        # of natively shared; of the p99 a machine's own pauses decide
LEAST_KEPT = 0.5       # by the other program, of its rate outside the bursts
STEADY = 1.3           # a program alone, from round to round


@dataclass(frozen=True)
class Verdict:
    status: str
    says: str


def helped(alone, native, xsched, kept):
    """Summaries of latencies (p50, p90) and what the other program keeps."""
    return (xsched["p50"] - alone["p50"] <= (native["p50"] - alone["p50"]) * (1 - PART_TAKEN_AWAY)
            and xsched["p90"] <= LOWER_P90 * native["p90"] and kept >= LEAST_KEPT)


def unsteady(*alone_by_round):
    """How much programs alone differed from round to round, as a sentence; empty if they did not. Each argument: of one
    program, a number of each round."""
    most = max((max(each) / min(each) for each in alone_by_round if each and min(each) > 0), default=1)
    return f"alone, a program took {most:.1f} times as long in one round as in another" if most > STEADY else ""


def doubt_of_ratios(native, xsched):
    """Why such multiples of alone (p50) prove nothing, as a sentence; empty if they may."""
    if native < NOTHING_TO_GAIN:
        return f"shared natively the program took {native:.2f} times as long as alone, so that nothing was to be gained"
    if xsched < TOO_FAST:
        return f"under XSched the program took {xsched:.2f} times as long as alone, so that alone it was slowed by " \
               "something else"
    return ""


def judge(alone, native, xsched, kept, doubts=()):
    """`doubts`: what else speaks against the figures, as sentences; they excuse a failure, and spoil a success."""
    ratios = native["p50"] / alone["p50"], xsched["p50"] / alone["p50"]
    reasons = [reason for reason in (doubt_of_ratios(*ratios), *doubts) if reason]
    if reasons:
        return Verdict(NONE, f"No verdict: {'; '.join(reasons)}.")
    compared = f"shared natively the high-priority program takes {ratios[0]:.2f} times as long as alone, " \
               f"under XSched " \
               f"{ratios[1]:.2f} times, and the low-priority program keeps {kept * 100:.0f}%"
    if helped(alone, native, xsched, kept):
        return Verdict(PASSED, f"Passed: {compared}.")
    return Verdict(FAILED, f"XSched did not help: {compared}. See docs/ARCHITECTURE.md, or run with XLOG_LEVEL=DEBG to "
                           "see every decision.")
