#!/usr/bin/python3
"""A deterministic training natively, twice, and under XSched beside an urgent program: its parameters are the same bit
for bit, all along. Exit status 1 if not, 77 if no GPU or no PyTorch is here."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bench"))
from lib import backend as backends  # noqa: E402
from lib import command, programs, report, requests  # noqa: E402
from lib.progress import Progress  # noqa: E402

NOT_HERE, LOAD_SECONDS, MOST_SECONDS = 77, 60, 150
WAYS = ("native", "native again", "XSched, beside an urgent program")
URGENT = {"kernel-ms": 0.05, "burst-kernels": 40, "sync-every": 10, "pause-ms": 5, "seconds": 600, "until-eof": 1}


def load(session, way, steps):
    """The training, which waits for its turn."""
    prefix = session.under_xsched() if way == WAYS[2] else ()
    return session.start("deterministic_program.py", {"steps": steps}, prefix, folder=HERE)


def train(session, backend, progress, way, training):
    """Steps per second, fingerprints, and the bursts of the urgent program (ns)."""
    training.wait_ready(progress)
    urgent = None
    if way == WAYS[2]:
        urgent = session.start("hp", URGENT, session.under_xsched("--priority", "10"), folder=backend.programs)
        urgent.wait_ready(progress)
    rows = training.finish(progress, MOST_SECONDS)
    bursts = [row[1] for row in urgent.finish(progress, MOST_SECONDS)] if urgent else []
    ends = [value for kind, value in rows if kind == 0]
    return (len(ends) - 1) * 1e9 / (ends[-1] - ends[0]), [value for kind, value in rows if kind == 1], bursts


def first_difference(prints, steps):
    """The step by which the parameters differed, of those that were looked at; None: never."""
    for number, values in enumerate(zip(*prints), 1):
        if len(set(values)) > 1:
            return number * (steps // 10)
    return None


def judge(found, steps):
    """Sentences about what is wrong."""
    if len(found) < len(WAYS):
        return []
    natives, all_prints = [found[way][1] for way in WAYS[:2]], [found[way][1] for way in WAYS]
    wrong = []
    if (step := first_difference(natives, steps)) is not None:
        wrong.append(f"the training itself is not deterministic: two native runs differ by step {step}")
    elif (step := first_difference(all_prints, steps)) is not None:
        wrong.append(f"under XSched the parameters differ by step {step}")
    if not found[WAYS[2]][2]:
        wrong.append("the urgent program had no burst")
    return wrong


def measure(session, backend, steps):
    progress, found, failures = Progress(len(WAYS) * 20), {}, []
    session.patience = LOAD_SECONDS
    trainings = {way: load(session, way, steps) for way in WAYS}
    for way, training in trainings.items():
        progress.doing(way)
        try:
            found[way] = train(session, backend, progress, way, training)
        except (programs.ProgramFailed, IndexError, ValueError) as error:
            failures.append(f"{way}: {error}")
    progress.done()
    return found, failures


def main():
    parser = command.options_parser(__doc__)
    parser.add_argument("--steps", type=int, default=1000)
    options = parser.parse_args()
    if not requests.torch_finds_device():
        print("skipped: no python3 with PyTorch finds a GPU")
        return NOT_HERE
    try:
        with programs.Session(options.build) as session:
            backend = backends.choose(session.build, session.environment, ["cuda"])
            found, failures = measure(session, backend, options.steps)
    except (LookupError, OSError) as error:
        print(f"skipped: {error}")
        return NOT_HERE
    failures += judge(found, options.steps)
    rows = [("", "steps/s", "parameters at the end", "urgent bursts", "their p50 us"),
            *((way, f"{rate:.1f}", prints[-1], len(bursts),
               f"{report.percentile(bursts, 50) / 1000:.0f}" if bursts else "-")
              for way, (rate, prints, bursts) in found.items())]
    print(f"\n{backend.device}, driver {backend.driver}, XSched {report.version()}\n\n{report.table(rows)}\n")
    print("\n".join(failures) or f"the parameters are the same bit for bit over {options.steps} steps")
    metrics = {way: {"steps_per_s": rate, "fingerprints": prints, "urgent_bursts": len(bursts)}
               for way, (rate, prints, bursts) in found.items()}
    print(report.write_result(options.results, "deterministic", "A deterministic training beside an urgent program",
                              backend, not failures, {**metrics, "failures": failures}, f"{options.steps} steps"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
