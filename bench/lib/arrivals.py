"""When requests come, from a fixed seed: the same everywhere. Pure; the measured programs use it too."""
import random

KINDS = ("closed", "uniform", "poisson", "bursty")
BURST_RATES = (3.0, 1 / 3)  # of the mean, before both are brought back to it
BURST_STAYS_S = 0.5         # in one state, on average


def exponential(chance, per_s):
    return chance.expovariate(per_s)


def bursty(per_s, seconds, chance):
    """A Markov-modulated Poisson process of two states."""
    scale = 2 / sum(BURST_RATES)
    at, state, left = 0.0, 0, exponential(chance, 1 / BURST_STAYS_S)
    while at < seconds:
        step = exponential(chance, per_s * BURST_RATES[state] * scale)
        if step < left:
            at, left = at + step, left - step
            if at < seconds:
                yield at
        else:
            at, state, left = at + left, 1 - state, exponential(chance, 1 / BURST_STAYS_S)


def schedule(kind, per_s, seconds, seed):
    """Seconds from the begin, sorted. Closed loops have none: the next request comes when the last one is answered."""
    chance = random.Random(seed)
    if kind == "closed":
        return []
    if kind == "uniform":
        return [i / per_s for i in range(int(per_s * seconds))]
    if kind == "bursty":
        return list(bursty(per_s, seconds, chance))
    if kind != "poisson":
        raise ValueError(f"arrivals of kind {kind}: use one of {', '.join(KINDS)}")
    found, at = [], exponential(chance, per_s)
    while at < seconds:
        found.append(at)
        at += exponential(chance, per_s)
    return found
