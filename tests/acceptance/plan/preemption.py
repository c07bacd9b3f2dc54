"""3.2: preemption latency at level 1, threshold 8, kernels of T = 0.5, 1 and 2 ms; beside it what a more urgent program
sees natively, at level 1 and at the level that XSched chooses."""
from context import Outcome, verdict
from lib import report
from questions.preemption import LEVELS, THRESHOLD, Preemption

ID, NAME, PASSES = "3.2", "preemption latency", "level 1 P99 about 8T at threshold 8: at most 9T"
LENGTHS_MS = (0.5, 1, 2)
ABOUT = THRESHOLD + 1


def run(context):
    suite = context.suite
    if suite.peer(LEVELS[1]) is None:
        return Outcome("skipped", {}, [suite.absent.get(LEVELS[1], "level 1 is not here")])
    found = Preemption(suite, LENGTHS_MS)
    found.seconds = context.seconds
    found.calibrate()
    found.run_probe(suite.peer("native"), None, 0)
    levels = [level for level in LEVELS if suite.peer(LEVELS[level])]
    for length in LENGTHS_MS:
        for level in levels[:2]:
            found.run_standstill(level, length)
        for name in ("native", LEVELS[1], "xsched"):
            found.run_probe(suite.peer(name), length, 0)
    cases, good = [], not found.failures
    for length in LENGTHS_MS:
        case = {"kernel_ms": length, "high_delay_p99_us": {name: found.delay_us(name, length, 99) for name in
                                                           ("native", LEVELS[1], "xsched")}}
        for level in levels[:2]:
            if found.samples(level, length):
                case[f"level_{level}_us"] = report.summary(found.samples(level, length))
        for which in (50, 99):
            still = found.standstill_us(1, length, which)
            case[f"level_1_p{which}_of_t"] = still / 1e3 / length if still is not None else None
        counts = case["level_1_p50_of_t" if context.on_cpu else "level_1_p99_of_t"]
        good = good and counts is not None and counts <= ABOUT
        cases.append(case)
    says = ", ".join(f"{case['level_1_p50_of_t'] or 0:.1f} / {case['level_1_p99_of_t'] or 0:.1f} T" for case in cases)
    notes = ["from XQueueSuspend to the last kernel's end; high's delay: one short kernel, less what it takes alone"]
    if context.on_cpu:
        notes.append("its P99 is the machine's own tail")
    return Outcome(verdict(good), {"threshold": THRESHOLD, "cases": cases}, found.failures + notes,
                   f"level 1 P50 / P99 at T = {' / '.join(f'{length:g}' for length in LENGTHS_MS)} ms: {says}",
                   looser=context.looser(f"level 1's P50 counts, at most {ABOUT} T; on a GPU its P99"),
                   timing=not found.failures)
