"""The main job: bursts of short kernels beside a program that keeps the device full, under every peer."""
from lib import document, gain, matrix, rounds, workloads
from lib.document import Document, percent, shown, time_text

NAME, WEIGHT = "main_job", 30
LEAST_SECONDS = 0.2
TIMELINE_PEERS = 4  # most of them beside each other

# Targets for XSched with its own choice of level: by pattern, p50 and p99 as multiples of those alone; below, the
# part of the time outside the bursts that lp must keep.
ON_GPU = {"A": (1.28, 1.5), "B": (1.35, 1.8), "C": (1.05, 1.2)}
ON_GPU_LONG = {"A": (1.3, 1.5), "B": (1.55, 1.9), "C": (1.05, 1.2)}  # kernels of 1 ms and more
ANNOUNCED_ON_GPU = 1.05  # p50
ON_CPU = {"A": (1.3, 1.7), "B": (1.3, 1.7)}
LP_SHARE = {"gpu": 0.92, "cpu": 0.90}


def asked(workload, pattern, length):
    """(p50, p99, lp's share) or None."""
    if workload is workloads.CPU:
        limits, share = ON_CPU.get(pattern), LP_SHARE["cpu"]
    else:
        limits, share = (ON_GPU if length < 1 else ON_GPU_LONG).get(pattern), LP_SHARE["gpu"]
    return (*limits, share) if limits and length in workload.lengths_ms else None


def targets(found, suite, patterns, lengths, peer="xsched"):
    """[(what, measured, relation, limit, unit)] of what was measured."""
    asked_of = []
    for length in lengths:
        for pattern in patterns:
            limits = asked(found.workload, pattern, length)
            if limits is None or (peer, pattern, length) not in found.tried or suite.stream != "null":
                continue
            what = f"{pattern}, lp {workloads.length_text(length)}: "
            asked_of.append((what + "p50 / alone", found.ratio(peer, pattern, length, "p50"), "<=", limits[0], "x"))
            asked_of.append((what + "p99 / alone", found.ratio(peer, pattern, length, "p99"), "<=", limits[1], "x"))
            if length != workloads.ENDLESS:
                share = found.lp_share(peer, pattern, length)
                asked_of.append((what + "lp keeps, outside bursts", share * 100 if share is not None else None, ">=",
                                 limits[2] * 100, "%"))
    for pattern in patterns:
        for length in lengths:
            if found.workload is not workloads.CPU and ("xsched_announced", pattern, length) in found.tried:
                asked_of.append((f"{pattern}, lp {workloads.length_text(length)}, announced: p50 / alone",
                                 found.ratio("xsched_announced", pattern, length, "p50"), "<=", ANNOUNCED_ON_GPU, "x"))
    return asked_of


def groups(found, suite, patterns, lengths, peers):
    """The measurements of one round; each group is compared (see lib/rounds.py). Natively and under XSched come before
    all other peers: if time runs out in the first round, these are there."""
    baseline = suite.peer(suite.baseline)

    def cells(pattern, some):
        return [lambda number, peer=peer, length=length: found.run(peer, pattern, length, number + 1)
                for length in lengths for peer in some if not (peer.streams and length == workloads.ENDLESS)]
    first = suite.most_compared(peers)
    others = [peer for peer in peers if peer not in first]
    plan = [[lambda number, length=length: found.run_lp_alone(baseline, length)] for length in lengths
            if length != workloads.ENDLESS]
    plan += [[lambda number, pattern=pattern: found.run(baseline, pattern, None, number + 1), *cells(pattern, first)]
             for pattern in patterns]
    plan += [cells(pattern, others) for pattern in patterns]
    return [group for group in plan if group]


def measure(suite, patterns, lengths, deadline, peers=None):
    """The matrix after rounds of everything, and how many they were."""
    found = matrix.Matrix(suite.session, suite.progress, suite.profile.seconds, suite.workload, suite.baseline,
                          suite.stream)
    suite.progress.doing("measuring kernel lengths")
    found.calibrate(lengths, suite.profile.calibrations)
    plan = groups(found, suite, patterns, lengths, peers or suite.peers)
    return found, suite.run_rounds(found, plan, deadline, LEAST_SECONDS)


def table(found, suite, patterns, length):
    rows = [["", *(f"{pattern}: {which}" for pattern in patterns for which in ("p50", "p99", "x alone")), "low keeps"]]
    cells = [(suite.baseline, f"alone ({suite.title(suite.baseline)})", None)]
    for name, title, at in cells + [(peer.name, peer.title, length) for peer in suite.peers]:
        row, shares = [title], []
        for pattern in patterns:
            summary = found.summary(name, pattern, at)
            row += [time_text(summary["p50"]), time_text(summary["p99"])] if summary else ["-", "-"]
            row.append(shown(found.ratio(name, pattern, at, "p50")) if at else "1" if summary else "-")
            shares += [found.lp_share(name, pattern, length)] if at else []
        known = [share for share in shares if share is not None]
        rows.append(row + [" / ".join(percent(share) for share in shares) if known else "-"])
    return [row for row in rows if any(cell not in ("-", "1") for cell in row[1:])]


def cdfs(found, suite, patterns, length):
    for pattern in patterns:
        series = []
        for name, title, at in [(suite.baseline, "alone", None)] + [(p.name, p.title, length) for p in suite.peers]:
            cell = found.cells.get((name, pattern, at))
            if cell and cell.latency_us:
                series.append({"name": title, "peer": name if at else "alone",
                               "points": document.cdf([us / 1e3 for us in cell.latency_us])})
        if series:
            yield {"kind": "cdf", "title": f"{pattern}: {suite.workload.patterns[pattern][0]}",
                   "x": "latency of a burst, ms", "series": series}


def timeline(found, suite, patterns, length):
    pattern = "B" if "B" in patterns else patterns[0]
    first = [name for name in (suite.baseline, "mps", "static_timeslices", "xsched") if suite.peer(name)]
    lanes = [{"name": suite.title(name), "peer": name, **found.cells[name, pattern, length].sample}
             for name in first[:TIMELINE_PEERS] if found.cells.get((name, pattern, length)) and
             found.cells[name, pattern, length].sample]
    if lanes:
        yield {"kind": "timeline", "title": f"Both programs, pattern {pattern}, a piece of one run", "lanes": lanes}


def sentences(found, suite, patterns, length):
    for pattern in patterns:
        words = []
        for name in (suite.baseline, "xsched"):
            ratio = found.ratio(name, pattern, length, "p50") if suite.peer(name) else None
            if ratio is not None:
                words.append(f"{suite.title(name)} {ratio:.2f} x")
        if words:
            yield f"{pattern} ({suite.workload.patterns[pattern][0]}), p50 of alone: {', '.join(words)}."


def headline(found, suite, patterns, length):
    for pattern in patterns:
        values = []
        for name, title, at in [(suite.baseline, "alone", None), (suite.baseline, suite.title(suite.baseline), length),
                                ("xsched", "XSched", length)]:
            summary = found.summary(name, pattern, at)
            if summary:
                values.append([title, time_text(summary["p50"]), shown(found.ratio(name, pattern, at, "p50")) + " x"])
        if len(values) > 1:
            yield {"label": f"{pattern}: {suite.workload.patterns[pattern][0]}", "values": values}


def doubts(found, suite, patterns, lengths):
    """Returns the reasons of a CPU device against the figures themselves, as sentences."""
    if not suite.on_cpu:
        return []
    judged, said = [], found.length_doubts()
    for pattern in patterns:
        for length in lengths:
            keys = [(suite.baseline, pattern, None), (suite.baseline, pattern, length), ("xsched", pattern, length)]
            if not all(key in found.cells for key in keys):
                continue
            alone, native, xsched = (found.cells[key].latency_us for key in keys)
            why = gain.contradiction({"alone": alone, "natively": native, "under XSched": xsched})
            if why:
                said.append(f"{pattern}, lp {workloads.length_text(length)}: {why}")
            judged.append(gain.judge(alone, native, xsched))
    if judged and all(each.gain == gain.NOTHING_TO_GAIN for each in judged):
        said.append(f"nothing was to be gained: {judged[0].says}")
    return said


def add_certainty(out, found, suite, patterns, lengths):
    """n, intervals and spread of each cell."""
    for pattern in patterns:
        for name, title, length in [(suite.baseline, "alone", None)] + [(peer.name, peer.title, length) for length in
                                                                       lengths for peer in suite.peers]:
            cell = found.cells.get((name, pattern, length))
            if cell is None:
                continue
            what = f"{pattern}, {title}" + (f", {workloads.length_text(length)}" if length and len(lengths) > 1 else "")
            out.add_samples(what, cell.latency_us, cell.run_p50_us)
            if length is not None:
                out.add_rounds(f"{what}: low keeps", found.lp_shares(name, pattern, length), percent)


def describe(suite, found, done):
    return [rounds.says(done, found.seconds),
            f"kernels of high {suite.workload.hp_kernel_ms * 1000:g} us, pauses of {suite.workload.pause_ms[0]:g} to "
            f"{suite.workload.pause_ms[1]:g} ms; low {suite.workload.depth} kernels deep; stream {suite.stream}"]


def answer(suite, deadline):
    patterns, length = suite.patterns, suite.lp_ms or suite.workload.lp_ms
    found, done = measure(suite, patterns, [length], deadline)
    out = Document(NAME, "Two programs on one device",
                   "What does an urgent program's burst cost beside a program that keeps the device full, and what "
                   "does the other one keep of the time outside the bursts?")
    out.answer = list(sentences(found, suite, patterns, length))
    out.headline = list(headline(found, suite, patterns, length))
    out.add_table(f"Latency of a burst beside kernels of {workloads.length_text(length)}; low's rate outside bursts, "
                  "of its rate alone, by pattern", table(found, suite, patterns, length))
    add_certainty(out, found, suite, patterns, [length])
    out.plots = [*cdfs(found, suite, patterns, length), *timeline(found, suite, patterns, length)]
    out.targets = targets(found, suite, patterns, [length])
    out.failures = [f"{peer}: {sentence}" for peer, sentence in found.failures]
    out.doubts = doubts(found, suite, patterns, [length])
    out.notes = describe(suite, found, done)
    out.raw = {**found.metrics(), "results_exact": found.exact}
    suite.witness = found.witness or suite.witness
    return out
