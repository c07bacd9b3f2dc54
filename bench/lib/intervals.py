"""Times on one clock, in nanoseconds: when the high-priority program was busy, and what the other one did meanwhile."""
import bisect

BRIDGE_NS = 500_000  # a shorter gap between two pieces of work belongs to one burst


def busy(bursts, bridge_ns=BRIDGE_NS):
    """[(begin, end)] of the bursts [(begin, latency)], those closer than `bridge_ns` as one."""
    merged = []
    for begin, latency in sorted(bursts):
        if merged and begin - merged[-1][1] < bridge_ns:
            merged[-1] = (merged[-1][0], max(merged[-1][1], begin + latency))
        else:
            merged.append((begin, begin + latency))
    return merged


def between(intervals):
    """The gaps from the first interval's begin to the last one's begin: whole periods, each burst with its pause."""
    return [(before[1], after[0]) for before, after in zip(intervals, intervals[1:])]


def total(intervals):
    return sum(end - begin for begin, end in intervals)


def count(times, intervals):
    """How many of the sorted `times` lie in the intervals (end included)."""
    return sum(bisect.bisect_right(times, end) - bisect.bisect_right(times, begin) for begin, end in intervals)


def work(times, intervals, length_ns):
    """How many pieces of work that ended at the sorted `times` were done in the sorted intervals. A piece that began
    before an interval, or ends after it, counts in part: each is spread over the last `length_ns` before its end, or
    since the end of the one before."""
    done, at, before = 0.0, 0, times[0] - length_ns if times else 0
    for end in times:
        begin = min(max(before, end - length_ns), end - 1)
        while at < len(intervals) and intervals[at][1] <= begin:
            at += 1
        for inside in intervals[at:at + 2]:  # a third one would have to be shorter than a piece of work
            done += max(0, min(end, inside[1]) - max(begin, inside[0])) / (end - begin)
        before = end
    return done


def rate(times):
    """Per second, over the times themselves."""
    return (len(times) - 1) * 1e9 / (times[-1] - times[0]) if len(times) > 1 else 0.0
