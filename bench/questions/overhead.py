"""Each program alone: what a peer costs without competition."""
from lib import matrix, rounds, spread, workloads
from lib.document import Document, NotHere, percent, time_text

from . import main_job

NAME, WEIGHT = "overhead", 12
MOST_PERCENT = {"gpu": 2, "cpu": 1}


def answer(suite, deadline):
    peers, patterns, length = suite.processes, suite.patterns, suite.lp_ms or suite.workload.lp_ms
    if len(peers) < 2:
        raise NotHere("no peer but the baseline is here")
    found = matrix.Matrix(suite.session, suite.progress, suite.profile.seconds, suite.workload, suite.baseline,
                          suite.stream)
    found.calibrate([length], suite.profile.calibrations)
    plan = [[lambda number, pattern=pattern: found.run_in_turns(peers, pattern, number)] for pattern in patterns]
    plan.append([lambda number, peer=peer: found.run_lp_alone(peer, length) for peer in peers])
    done = suite.run_rounds(found, plan, deadline, main_job.LEAST_SECONDS, most_rounds=2 * suite.profile.rounds)
    out = Document(NAME, "Nobody competes",
                   "What does each way of sharing cost a program that has the device to itself?")
    rows = [["added, alone", *(f"{pattern}: p50" for pattern in patterns),
             f"low, kernels of {workloads.length_text(length)}"]]
    bars = []
    for peer in peers:
        if peer.name == suite.baseline:
            baseline = [found.summary(peer.name, pattern) for pattern in patterns]
            itself = [time_text(each["p50"]) if each else "-" for each in baseline]
            rows.append([f"{peer.title} (itself)", *itself, "-"])
            continue
        costs = [found.overhead(peer.name, pattern) for pattern in patterns] + [found.lp_overhead(peer.name, length)]
        rows.append([peer.title, *(percent(cost, 1) for cost in costs)])
        by_round = [found.overheads(peer.name, pattern) for pattern in patterns] + [
            found.lp_overheads(peer.name, length)]
        for what, values in zip((*patterns, "low"), by_round):
            out.add_rounds(f"{peer.title}, {what}: added", values, lambda value: percent(value, 1))
        bars.append({"name": peer.title, "peer": peer.name,
                     "values": [round(cost * 100, 3) if cost is not None else None for cost in costs],
                     "spread": [[bound * 100 for bound in spread.of_rounds(values)] if values else None
                                for values in by_round]})
    out.add_table("Time added to a burst, or to a kernel of low (median of the rounds)", rows)
    out.plots.append({"kind": "bars", "title": "Added when alone", "y": "added, %", "x": "pattern",
                      "groups": [*patterns, "low"],
                      "series": bars})
    limit = MOST_PERCENT["cpu" if suite.workload is workloads.CPU else "gpu"]
    if suite.peer("xsched"):
        for pattern in patterns:
            cost = found.overhead("xsched", pattern)
            out.targets.append((f"XSched alone, {pattern}", cost * 100 if cost is not None else None, "<=", limit, "%"))
    out.failures = [f"{peer}: {sentence}" for peer, sentence in found.failures]
    out.notes = [rounds.says(done, found.seconds)]
    out.raw = found.metrics()
    return out
