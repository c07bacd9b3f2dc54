"""How sure a figure is: intervals of quantiles that hold whatever the distribution looks like (order statistics), and
the spread from round to round. src/cli/doctor/quantile.h has the same method, with its sources."""
import math

CONFIDENT = 0.95
BLOCKS, LEAST_OF_BLOCK, LEAST_BLOCKS = 10, 6, 3  # of a series, in the order of time
SAYS = "95 % intervals of quantiles come from order statistics, and are wider where long bursts come in phases; the " \
       "spread is from the least to the most of the rounds"


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


def quantile(values, percent):
    """The smallest value that at least `percent` of all do not exceed."""
    return sorted(values)[max(math.ceil(len(values) * percent / 100 - 1e-9), 1) - 1]


def dispersion(values, percent):
    """How many times as much the counts below the quantile vary from block to block as those of independent values."""
    blocks, part = min(BLOCKS, len(values) // LEAST_OF_BLOCK), percent / 100
    if blocks < LEAST_BLOCKS:
        return 1
    limit, total = quantile(values, percent), 0
    for block in range(blocks):
        of_block = values[block * len(values) // blocks:(block + 1) * len(values) // blocks]
        expected = len(of_block) * part
        total += (sum(value <= limit for value in of_block) - expected) ** 2 / (expected * (1 - part))
    return max(total / (blocks - 1), 1)


def interval(values, percent):
    """(low, high) of the quantile; None where so few values say nothing. `values` in the order of time."""
    ordered = sorted(values)
    independent = int(len(values) / dispersion(values, percent))
    low, high = ranks(independent, percent)
    each = len(values) / max(independent, 1)
    return (None if low is None else ordered[int(low * each)],
            None if high is None else ordered[min(math.ceil(high * each), len(ordered) - 1)])


def of_rounds(values):
    """(least, most) of what was measured once a round; None: nothing was."""
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if known else None


def shown(low, high, text, link=" .. ", neither="-"):
    """"1.2 .. 1.4 ms", or "at least 1.2" where the upper bound is not known. `text` makes a word of each bound."""
    if low is None and high is None:
        return neither
    if low is None or high is None:
        return f"at most {text(high)}" if low is None else f"at least {text(low)}"
    return f"{text(low)}{link}{text(high)}"


def rounds_shown(values, text):
    found = of_rounds(values)
    return shown(*found, text) if found else "-"
