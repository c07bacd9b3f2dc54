"""The main job beside kernels of every length."""
from lib import workloads
from lib.document import Document, NotHere, percent, shown

from . import main_job

NAME, WEIGHT = "lengths", 30


def chosen_lengths(suite):
    """Returns as many lengths as the profile wants, spread, the longest among them."""
    every = list(suite.lengths_ms or suite.workload.lengths_ms)
    most = min(suite.profile.lengths, len(every))
    return [every[round(i * (len(every) - 1) / max(most - 1, 1))] for i in range(most)] if most > 1 else every[-1:]


def table(found, suite, pattern, lengths):
    rows = [["p50 / p99, of alone", *(workloads.length_text(length) for length in lengths), "low keeps, at least"]]
    for peer in suite.peers:
        cells = [[found.ratio(peer.name, pattern, length, which) for which in ("p50", "p99")] for length in lengths]
        shares = [share for share in (found.lp_share(peer.name, pattern, length) for length in lengths)
                  if share is not None]
        if any(p50 for p50, _ in cells):
            rows.append([peer.title, *(f"{shown(p50)} / {shown(p99)}" if p50 else "-" for p50, p99 in cells),
                         percent(min(shares)) if shares else "-"])
    return rows


def plot(found, suite, pattern, lengths):
    longest = max((length for length in lengths if length != workloads.ENDLESS), default=1)
    series = []
    for peer in suite.peers:
        points = [[longest * 4 if length == workloads.ENDLESS else length,
                   round(found.ratio(peer.name, pattern, length, "p50"), 4)]
                  for length in lengths if found.ratio(peer.name, pattern, length, "p50")]
        if points:
            series.append({"name": peer.title, "peer": peer.name, "points": points})
    x = "length of low's kernels, ms" + (f" (endless at {longest * 4:g})" if workloads.ENDLESS in lengths else "")
    return {"kind": "lines", "title": f"{pattern}: {suite.workload.patterns[pattern][0]}", "x": x,
            "y": "burst p50, of alone", "log": ["x", "y"], "series": series}


def answer(suite, deadline):
    lengths = chosen_lengths(suite)
    if not lengths:
        raise NotHere("no length of low's kernels was chosen")
    found, done = main_job.measure(suite, suite.patterns, lengths, deadline, suite.few_peers)
    out = Document(NAME, "The other program's kernels, short to endless",
                   "Does it matter to the urgent program how long the other one's kernels are?")
    worst = [(found.ratio("xsched", pattern, length, "p50"), pattern, length) for pattern in suite.patterns
             for length in lengths if found.ratio("xsched", pattern, length, "p50")]
    if worst:
        ratio, pattern, length = max(worst)
        out.answer = [f"Under XSched the worst case is pattern {pattern} beside kernels of "
                      f"{workloads.length_text(length)}: {ratio:.2f} x alone (p50)."]
    for pattern in suite.patterns:
        out.add_table(f"Pattern {pattern}, {suite.workload.patterns[pattern][0]}",
                      table(found, suite, pattern, lengths))
        out.plots.append(plot(found, suite, pattern, lengths))
    main_job.add_certainty(out, found, suite, suite.patterns, lengths)
    out.targets = main_job.targets(found, suite, suite.patterns, lengths)
    out.failures = [f"{peer}: {sentence}" for peer, sentence in found.failures]
    out.doubts = main_job.doubts(found, suite, suite.patterns, lengths)
    out.notes = main_job.describe(suite, found, done)
    out.raw = {**found.metrics(), "results_exact": found.exact}
    return out
