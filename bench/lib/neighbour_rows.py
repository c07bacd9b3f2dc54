"""The rows that the programs of bench/cuda/neighbours write, ns. An urgent one has a row for each burst: its begin, its
latency, copies in or 0, kernels or launches, its rounds or parts. A busy one has a row for each piece of work: its end,
how much."""

# By how many there are.
PARTS = {6: ("first allocation", "other allocations", "first kernels", "other kernels", "first release",
             "other releases"),
         5: ("pinned memory", "module", "first kernels", "unloading", "release"),
         3: ("handle", "first product", "destroying")}
LONG_ROUND_US = 150  # a round of `steps` is 45
USUAL = 1.3  # times the median: a burst's launches took no longer


def rows(path):
    return [[int(word) for word in line.split()] for line in path.read_text().splitlines()]


def rate(pieces, begin, end):
    """Per second, between two times: of whole pieces of work, from the end of one to the end of another."""
    inside = [row for row in pieces if begin <= row[0] <= end and len(row) < 3]
    if len(inside) < 3:
        return 0.0
    amount = sum(row[1] if len(row) > 1 else 1 for row in inside[1:])
    return amount * 1e9 / (inside[-1][0] - inside[0][0])


def part(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] / 1000 if ordered else 0.0


def launches(bursts, median):
    """Returns the time of launching in a burst, and for how many slow bursts that is most of their extra time: the
    host's. And what bursts took in which the host was as fast as usual."""
    usual = part([row[3] for row in bursts], 0.5)
    longer = [(row[1] / 1000 - median, row[3] / 1000 - usual) for row in bursts if row[1] / 1000 > 1.5 * median]
    rest = [row[1] for row in bursts if row[3] / 1000 <= USUAL * usual]
    middle = part(rest, 0.5)
    return {"launches_us": usual, "slow_at_launch": sum(2 * host > more for more, host in longer),
            "at_usual_launches": {"n": len(rest), "p50_us": round(middle, 1), "p99_us": round(part(rest, 0.99), 1),
                                  "longest_us": round(part(rest, 1), 1),
                                  "slow": sum(latency / 1000 > 1.5 * middle for latency in rest)}}


def summary(bursts, neighbours, alone):
    latencies = [row[1] for row in bursts[1:]]
    median = part(latencies, 0.5)
    made = {"n": len(latencies), "p50_us": median, "p99_us": part(latencies, 0.99),
            "longest_us": part(latencies, 1), "first_us": bursts[0][1] / 1000,
            "slow": sum(latency / 1000 > 1.5 * median for latency in latencies)}
    if bursts[0][2] > 0:
        made |= {"in_us": part([row[2] for row in bursts[1:]], 0.5),
                 "kernels_us": part([row[3] for row in bursts[1:]], 0.5)}
    elif bursts[0][3] > 0:
        made |= launches(bursts[1:], median)
    if names := PARTS.get(len(bursts[0]) - 4):
        made["parts_us"] = {name: round(part([row[4 + at] for row in bursts[1:]], 0.5), 1)
                            for at, name in enumerate(names)}
    elif len(bursts[0]) > 4:  # of each round in how many bursts it was a long one, as where others came in between
        rounds = [[row[4 + at] for row in bursts[1:]] for at in range(len(bursts[0]) - 4)]
        made["long_rounds"] = [sum(ns / 1000 > LONG_ROUND_US for ns in one) for one in rounds]
    begin, end = bursts[0][0], bursts[-1][0] + bursts[-1][1]
    busy = sum(row[1] for row in bursts) / (end - begin)
    rates = [(rate(pieces, *alone), rate(pieces, begin, end)) for pieces in neighbours]
    if rates:
        made |= {"alone_per_s": [round(one) for one, _ in rates], "beside_per_s": [round(other) for _, other in rates],
                 "kept": [round(other / (one * (1 - busy)), 3) if one else None for one, other in rates]}
    return {key: round(value, 1) if isinstance(value, float) else value for key, value in made.items()}
