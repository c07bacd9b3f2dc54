#!/usr/bin/env python3
"""The test plan of the project's requirements: each test natively and under XSched in one run, a JSON file for each and
one summary.

    tests/acceptance/run.py --platform opencl              all of it
    tests/acceptance/run.py --platform cuda 2.1 3.1 P4     some of it
    tests/acceptance/run.py --list

On HIP without an AMD GPU a stand-in of the build's tests runs the programs. Where the kernel has one, a stand-in must
be asked for with --stand-in; the reason why the GPU does not answer is printed either way.

PyTorch's models are used where PyTorch finds the device, else programs that stand for them, and the results say so.
Each result and the summary name a stand-in. On a CPU device processors are kept awake, and looser limits are printed.
Times that a disturbed machine decided are no verdict, nor is a comparison where there is nothing to gain.
Exit status 1 if a test failed, 2 if nothing could be run.
"""
import argparse
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "bench")]
import plan  # noqa: E402
from context import Context, Outcome, refuse_nothing, withdraw  # noqa: E402
from lib import backend as backends  # noqa: E402
from lib import acceptance_page, disturbance, programs, report, stand_ins  # noqa: E402

PLATFORMS = tuple(backends.TITLES)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", metavar="TEST", help=f"of {', '.join(plan.ALL)} (all)")
    parser.add_argument("--platform", choices=PLATFORMS, default="opencl")
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, help="where the JSON files go (BUILD/results/acceptance)")
    parser.add_argument("--seconds", type=float, default=4, help="of a measurement")
    parser.add_argument("--budget", type=float, default=1800, help="seconds after which no test is begun")
    parser.add_argument("--test", action="store_true", help="a missed limit is no failure: this machine may be busy")
    parser.add_argument("--stand-in", action="store_true", help="HIP: a stand-in, whatever hardware there is")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    options.results = options.results or options.build / "results" / "acceptance"
    unknown = [test for test in options.tests if test not in plan.ALL]
    if unknown:
        parser.error(f"no such test: {', '.join(unknown)}; there are {', '.join(plan.ALL)}")
    return options


def choose_backend(session, platform, stand_in, hardware=None):
    """`hardware`: what says that there is an AMD GPU (stand_ins.amd_hardware)."""
    if platform != "hip":
        return backends.choose(session.build, session.environment, [platform])
    if stand_in:
        return stand_ins.choose(session)
    try:
        return backends.choose(session.build, session.environment, ["hip"])
    except LookupError as error:
        if hardware:
            raise LookupError(
                f"{hardware} says that there is an AMD GPU, but it does not answer: {error}; 'xcli doctor --run "
                "--platform hip' looks closer, --stand-in runs the tests without it") from error
        print(f"{error}\nGoing on with a stand-in: there is no AMD GPU here.", flush=True)
        return stand_ins.choose(session)


def run_test(module, context, deadline):
    """Returns the test's outcome and how long it took."""
    began, watch = time.monotonic(), disturbance.Watch(context.suite.running_pids)
    if began > deadline:
        return Outcome("skipped", {}, ["no time was left"]), 0.0
    try:
        outcome = module.run(context)
    except (programs.ProgramFailed, LookupError, OSError, ValueError, IndexError, ZeroDivisionError) as error:
        outcome = Outcome("failed", {}, [f"{type(error).__name__}: {error}"[:3000]], broke=True)
    context.session.kill_all()
    refuse_nothing(outcome)
    outcome.notes.append(watch.stop().says)
    withdraw(outcome, [context.disturbed, watch.note, *context.session.doubts])
    return outcome, time.monotonic() - began


def publish(module, outcome, context, options):
    if options.platform == "hip":
        outcome.metrics["rocm_version"] = context.backend.driver
    return report.write_result(options.results, module.ID, module.NAME, context.backend, outcome.status,
                               outcome.metrics, "; ".join(filter(None, [outcome.looser, *outcome.notes])),
                               f"acceptance_{module.ID}")


def said(outcome):
    """The status with its reason: what was measured, and why that proves nothing if it does not."""
    told = [outcome.says, outcome.notes[0] if outcome.status == "skipped" and outcome.notes else ""]
    return f"{outcome.status}: {'; '.join(filter(None, told)) or '; '.join(outcome.notes)[:300]}"


def run_all(context, options):
    rows, worst = [("test", "", "status", "s", "what was measured")], "passed"
    deadline = time.monotonic() + options.budget
    for identity in options.tests or plan.ALL:
        module = plan.ALL[identity]
        print(f"{identity:<5} {module.NAME} ...", flush=True)
        outcome, seconds = run_test(module, context, deadline)
        path = publish(module, outcome, context, options)
        print(f"      {said(outcome)}  ({path.name})", flush=True)
        if outcome.looser:
            print(f"      {outcome.looser}", flush=True)
        rows.append((identity, module.NAME, outcome.status, f"{seconds:.0f}", outcome.says[:90]))
        if outcome.broke or (outcome.status == "failed" and not options.test):
            worst = "failed"
    context.suite.progress.done()
    page = acceptance_page.write(options.results, rows[1:], context.backend)
    print(f"\n{acceptance_page.headline(rows[1:])}\n{context.backend.device}\n\n{report.table(rows)}\n\n{page}")
    return 0 if worst == "passed" else 1


def main():
    options = parse_options()
    if options.list:
        for identity, module in plan.ALL.items():
            print(f"{identity:<5} {module.NAME:<34} {module.PASSES}")
        return 0
    disturbed = disturbance.note_before()
    try:
        with programs.Session(options.build) as session:
            backend = choose_backend(session, options.platform, options.stand_in, stand_ins.amd_hardware())
            with Context(session, backend, options.seconds, disturbed) as context:
                print(f"{backend.device}, driver {backend.driver}, XSched {report.version()}; {context.requests.says}",
                      flush=True)
                for sentence in filter(None, (context.suite.awake and context.suite.awake.says, disturbed)):
                    print(sentence, flush=True)
                return run_all(context, options)
    except LookupError as error:
        print(f"skipped: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
