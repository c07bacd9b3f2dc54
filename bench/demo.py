#!/usr/bin/python3
"""The main job in about a minute: what an urgent program gains from XSched beside one that keeps the device full.

    bench/demo.py --build build/release
    xcli demo                            # once installed

Runs both programs alone, shared natively and shared under XSched, a few rounds in turn, and prints one table and a
verdict (bench/lib/gain.py). Passed: the urgent program's p50 or p99 is shorter than natively, beyond the 95 %
intervals, and the other program keeps at least half of the time that is left. Otherwise there may be nothing to gain,
because native sharing costs less than 1.2 times alone, or no verdict, because something disturbed the figures; the
reason is printed. Exit status 0 if it passed or could not be judged (77 with --test), 1 if XSched did not help, 2 if
nothing could be measured.
"""
import argparse
import contextlib
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import backend as backends  # noqa: E402
from lib import comparison, disturbance, gain, matrix, own_page, page, programs, report, spread, suite  # noqa: E402
from lib import terminal_chart, workloads  # noqa: E402
from lib.progress import Progress  # noqa: E402

ROUNDS, SECONDS = 3, 5
START_UP_SECONDS = 8  # calibration and the first compilation of kernels
WAYS = "native", "xsched"
STATUS = {gain.GAIN: ("passed", "Passed"), gain.NO_GAIN: ("failed", "XSched did not help"),
          gain.NOTHING_TO_GAIN: ("nothing to gain", "Nothing to gain here"),
          gain.NO_VERDICT: ("no verdict", "No verdict")}


def pattern_of(workload):
    """Where sharing costs most."""
    return "A" if workload is workloads.CPU else "B"


def cells(pattern, length):
    """Alone, shared natively, shared under XSched: as Matrix.summary takes them."""
    return [("native", pattern, None), ("native", pattern, length), ("xsched", pattern, length)]


def measure(session, rounds, seconds):
    backend = backends.choose(session.build, session.environment)
    workload = workloads.of(backend)
    pattern, length = pattern_of(workload), workload.lp_ms
    print(f"Platform: {backend.title} through {backend.vendor} on {backend.device}, {os.cpu_count()} CPUs")
    like = ("", "") if workload is workloads.CPU else (" (as a language model decodes tokens)", " (as a training)")
    print(f"High: {workload.patterns[pattern][0]} of {workload.hp_kernel_ms:g} ms{like[0]}, priority 10. Low: kernels "
          f"of {workloads.length_text(length)} without end{like[1]}, {workload.depth} enqueued ahead.", flush=True)
    progress = Progress(START_UP_SECONDS + rounds * 4 * (seconds + 2))
    with suite.Suite(session, backend, suite.PROFILES["quick"], progress, WAYS) as measuring:
        found = matrix.Matrix(session, progress, seconds, workload, "native")
        if measuring.awake:
            progress.say(f"Processors: {measuring.awake.says}.")
        progress.doing("measuring kernel lengths")
        found.calibrate([length])
        native, xsched = (measuring.peer(name) for name in WAYS)
        ways = [lambda seed: found.run_lp_alone(native, length), lambda seed: found.run(native, pattern, None, seed),
                lambda seed: found.run(native, pattern, length, seed),
                lambda seed: found.run(xsched, pattern, length, seed)]
        for turn in range(rounds):
            for way in ways[turn % len(ways):] + ways[:turn % len(ways)]:
                way(turn + 1)
    if found.failures:
        raise programs.ProgramFailed(found.failures[0][1])
    return backend, found, pattern, length


def judge(found, pattern, length, against=()):
    """Status and sentence. `against`: what speaks against the figures, but for themselves."""
    judged = gain.judge(*(found.cells[cell].latency_us for cell in cells(pattern, length)),
                        found.lp_share("xsched", pattern, length), "its rate alone, outside the bursts", doubts=against)
    status, word = STATUS[judged.gain]
    return status, f"{word}: {judged.says}."


def ways(found, pattern, length):
    """Returns the figures as the table and the page of xcli report have them."""
    titles = (("alone", "alone"), ("shared natively", "natively"), ("shared under XSched", "XSched"))
    return [comparison.Way(title, name, cell[0] if cell[2] else "alone", found.cells[cell].latency_us,
                           found.cells[cell].run_p50_us, found.lp_shares(*cell) if cell[2] else [],
                           found.cells[cell].sample if cell[2] else None)
            for (title, name), cell in zip(titles, cells(pattern, length))]


def tables(found, pattern, length):
    return "\n\n".join(f"{caption}:\n\n{report.table(rows)}" for caption, rows in
                       comparison.tables(ways(found, pattern, length)))


def write_page(found, pattern, length, says, where, path, is_judged=True):
    shared = ways(found, pattern, length)
    body = own_page.sections(shared, comparison.tables(shared), [], is_judged)
    notes = f"The other program keeps: of its rate alone, outside the urgent one's bursts. {spread.SAYS}."
    path.write_text(page.page("XSched: the main job", says, where, own_page.LINKS,
                              f'{body}<p class="notes">{notes}</p>'))
    return path


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each scenario, each round")
    parser.add_argument("--tools", type=Path, help="the folder of an installed xcli, instead of a build")
    parser.add_argument("--programs", type=Path, help="the folder of the installed programs, with --tools")
    parser.add_argument("--out", type=Path, help="the page; the numbers go beside it, as JSON")
    parser.add_argument("--test", action="store_true", help="no verdict counts as skipped")
    return parser.parse_args()


@contextlib.contextmanager
def installed_as_build(tools, installed):
    """Gives the installed files the shape of a build for the time of the demo."""
    with tempfile.TemporaryDirectory(prefix="xsched-demo-") as folder:
        (Path(folder) / "bin").symlink_to(tools.resolve())
        (Path(folder) / "bench").symlink_to(installed.resolve())
        yield Path(folder)


def write_results(arguments, found, pattern, length, backend, status, says, metrics):
    """Writes the numbers and the page. Returns their paths."""
    out = arguments.out
    folder, name = (out.parent, out.stem) if out else (arguments.build / "results", "demo")
    path = report.write_result(folder, "demo", "main job, short", backend, status, metrics, says, name)
    where = f"{backend.device}; {own_page.machine()}; XSched {report.version()}"
    picture = out or path.with_suffix(".html")
    return path, write_page(found, pattern, length, says, where, picture, status != "no verdict")


def main():
    arguments = parse_options()
    if not arguments.tools:
        return demo(arguments)
    with installed_as_build(arguments.tools, arguments.programs) as build:
        arguments.build = build
        return demo(arguments)


def demo(arguments):
    before = disturbance.note_before()
    if before:
        print(f"Note: {before}", flush=True)
    watch = disturbance.Watch()
    try:
        with programs.Session(arguments.build) as session:
            backend, found, pattern, length = measure(session, arguments.rounds, arguments.seconds)
    except (LookupError, programs.ProgramFailed) as error:
        print(error, file=sys.stderr)
        return 2
    watch.stop()
    print("\nThe high-priority program's burst latency, and what the low-priority program keeps of its rate outside "
          f"the bursts.\n\n{tables(found, pattern, length)}\n")
    status, says = judge(found, pattern, length, [before, watch.note, *session.doubts, *found.length_doubts()])
    print("\n".join(terminal_chart.chart(ways(found, pattern, length), status != "no verdict")))
    print(f"\n{says}\nMeanwhile {watch.says}.")
    metrics = {**found.metrics(), "stolen": watch.stolen, "others": watch.others}
    path, picture = write_results(arguments, found, pattern, length, backend, status,
                                  f"{says} Meanwhile {watch.says}.", metrics)
    print(f"All numbers: {path}\nAs a page: {picture}")
    if arguments.test and status not in ("passed", "failed"):
        print(f"skipped: {says}")
        return 77
    return 1 if status == "failed" else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\ninterrupted; every program was ended", file=sys.stderr)
        sys.exit(130)
