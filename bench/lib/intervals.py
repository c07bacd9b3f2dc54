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
    before an interval, or ends after it, counts in part: for the time that it spent in the intervals, of the
    `length_ns` that it takes undisturbed; never for more than one. So one that is taken off its device at the end of an
    interval and goes on in the next counts once. Time in which it could have gone on but did not is lost. Of pieces
    without a known length (0) the end tells."""
    done, at, before = 0.0, 0, times[0] - length_ns if times else 0
    for end in times:
        begin = min(before, end - 1) if length_ns > 0 else end - 1
        while at < len(intervals) and intervals[at][1] <= begin:
            at += 1
        inside, here = 0, at
        while here < len(intervals) and intervals[here][0] < end:
            inside += max(0, min(end, intervals[here][1]) - max(begin, intervals[here][0]))
            here += 1
        done += min(1, inside / max(min(length_ns, end - begin), 1))
        before = end
    return done


def rate(times):
    """Per second, over the times themselves."""
    return (len(times) - 1) * 1e9 / (times[-1] - times[0]) if len(times) > 1 else 0.0
