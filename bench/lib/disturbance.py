"""How busy other programs keep this machine: a measurement beside them says little."""
import time

SAMPLE_SECONDS = 1.0
TOO_BUSY = 0.2  # part of all CPU time


def _ticks():
    """(busy, all) CPU time so far."""
    with open("/proc/stat") as stat:
        ticks = [int(word) for word in stat.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def busy_share():
    """The part of all CPUs' time that is used at present; call it while nothing of the benchmark runs."""
    busy, every = _ticks()
    time.sleep(SAMPLE_SECONDS)
    busy_later, every_later = _ticks()
    return (busy_later - busy) / max(every_later - every, 1)


def note(share):
    """A sentence for people and result files; empty if the machine is quiet."""
    if share < TOO_BUSY:
        return ""
    return f"other programs used {share * 100:.0f}% of this machine's CPUs before the start: the figures are disturbed"
