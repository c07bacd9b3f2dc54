"""1.2: native programs run without fault, the output shows the scheduler at work, and they are hardly slower."""
import re
import shutil
import statistics
import subprocess
import sys
from collections import defaultdict

from context import Outcome, in_turns, verdict
from lib import report
from lib.requests import latency_us

ID, NAME, PASSES = "1.2", "native examples", "no fault, the log shows the scheduler, overhead < 10%"
MOST_PERCENT, ROUNDS, TIMEOUT_SECONDS = 10, 3, 300
TESTS = report.ROOT / "tests" / "examples" / "examples_test.py"
EXAMPLES_OF = "opencl", "cuda"


def example_tests(build, platform):
    """{name: passed} of the examples' tests: those of this build or, if it has none, the same with its libraries. Empty
    and a reason, as a sentence: they cannot be run here."""
    if shutil.which("ctest") and (build / "CTestTestfile.cmake").exists():
        said = output_of(["ctest", "--test-dir", build, "-R", f"^example.*{platform}"])
        found = {name: word == "Passed" for name, word in re.findall(r"Test +#\d+: (\S+) \.+ *\**(\w+)", said)}
        if found:
            return found, ""
    if platform not in EXAMPLES_OF:
        return {}, f"the examples' tests know {' and '.join(EXAMPLES_OF)} alone"
    if not TESTS.exists() or not shutil.which("make") or not shutil.which("g++"):
        return {}, "the examples cannot be built here: their sources, make or g++ are missing"
    said = output_of([sys.executable, "-B", TESTS, "--platform", platform, "--libraries", build / "lib"])
    found = {name: word == "ok" for name, word in re.findall(r"^(test_\w+) .*\.\.\. (ok|FAIL|ERROR)$", said, re.M)}
    return found or {"examples": False}, ""


def output_of(command):
    return subprocess.run([str(word) for word in command], text=True, timeout=TIMEOUT_SECONDS, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def log_of(context, program):
    """What a short run of a program writes at INFO."""
    command = [*context.session.under_xsched("--log", "INFO"), context.backend.programs / program, "--seconds", "0.5",
               "--bursts", "3", "--steps", "1000", "--pause-ms", "5"]
    ended = subprocess.run(command, env=context.session.environment, text=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    return ended.returncode, ended.stderr


def run(context):
    logs = {program: log_of(context, program) for program in ("hp", "lp")}
    shows = {program: status == 0 and "scheduler" in log and "preempt level" in log for program, (status, log) in
             logs.items()}
    found = defaultdict(list)
    for _, way in in_turns(ROUNDS, ("native", "xsched")):
        prefix = (context.native if way == "native" else context.xsched)("hp")
        rows = context.session.start("hp", context_options(context), prefix)
        rows.wait_ready(context.progress)
        found[way].append(report.percentile(latency_us(rows.finish(context.progress, context.seconds + 10)), 50))
    added = (statistics.median(found["xsched"]) / statistics.median(found["native"]) - 1) * 100
    examples, reason = example_tests(context.session.build, context.backend.name)
    metrics = {"log_shows_scheduler": shows, "overhead_percent": added, "burst_p50_us": dict(found),
               "example_tests": examples}
    right = all(shows.values()) and all(examples.values())
    status = verdict(right and added < MOST_PERCENT)
    if status == "passed" and not examples:
        status = "skipped"
    return Outcome(status, metrics, [*filter(None, [reason]), "overhead: programs of bench/programs"],
                   f"overhead {added:+.1f}%, log shows the scheduler: {all(shows.values())}, "
                   f"{sum(examples.values())} of {len(examples)} examples", timing=right)


def context_options(context):
    context.requests.steps = context.requests.steps or context.session.calibrate(context.workload.hp_kernel_ms, 1)
    return {**context.workload.hp_options("A"), "steps": context.requests.steps, "seconds": context.seconds / 2}
