"""How sure a figure is: intervals of quantiles that hold whatever the distribution looks like (order statistics), and
the spread from round to round. Measurements count as independent of each other, which bursts are not quite."""
import math

CONFIDENT = 0.95
SAYS = "95 % intervals of quantiles come from order statistics, bursts counted as independent; the spread is from " \
       "the least to the most of the rounds"


def ranks(count, percent):
    """(low, high): the quantile lies between the values of these ranks (0 is the least) with 95 %; None: so few values
    do not bound it on that side. How many values are below the quantile is a binomial number."""
    part, rest = percent / 100, (1 - CONFIDENT) / 2
    mean, width = count * part, 6 * math.sqrt(count * part * (1 - part)) + 12
    low = high = None
    below = 0.0  # the probability that at most so many values are below the quantile
    for rank in range(max(0, int(mean - width)), min(count, int(mean + width))):
        below += math.exp(math.lgamma(count + 1) - math.lgamma(rank + 1) - math.lgamma(count - rank + 1)
                          + rank * math.log(part) + (count - rank) * math.log1p(-part))
        if below <= rest:
            low = rank
        if 1 - below <= rest:
            high = rank
            break
    return low, high


def interval(values, percent):
    """(low, high) of the quantile; None where so few values say nothing."""
    ordered = sorted(values)
    low, high = ranks(len(ordered), percent)
    return (None if low is None else ordered[low]), (None if high is None else ordered[high])


def of_rounds(values):
    """(least, most) of what was measured once a round; None: nothing was."""
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if known else None


def shown(low, high, text):
    """"1.2 .. 1.4 ms": `text` makes a word of each bound; a question mark where it is not known."""
    if low is None and high is None:
        return "-"
    return f"{text(low) if low is not None else '?'} .. {text(high) if high is not None else '?'}"


def rounds_shown(values, text):
    found = of_rounds(values)
    return shown(*found, text) if found else "-"
