"""1.2: native programs run without fault, the output shows the scheduler at work, and they are hardly slower. The
programs are the examples and, on every platform, those of bench/programs."""
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
# The compiler that examples need besides make.
COMPILERS = {"opencl": "g++", "cuda": "g++", "hip": "hipcc"}


def example_tests(build, platform, stand_in=""):
    """{name: passed} of the examples' tests: those of this build or, if it has none, the same with its libraries. Empty
    and a reason, as a sentence: they cannot be run here."""
    if platform == "hip" and stand_in:
        return {}, "the examples were not run: what hipcc makes of them needs a GPU, and this is a stand-in"
    if shutil.which("ctest") and (build / "CTestTestfile.cmake").exists():
        said = output_of(["ctest", "--test-dir", build, "-R", f"^example.*{platform}"])
        found = {name: word == "Passed" for name, word in re.findall(r"Test +#\d+: (\S+) \.+ *\**(\w+)", said)}
        if found:
            return found, ""
    compiler = COMPILERS[platform]
    if not TESTS.exists() or not shutil.which("make") or not shutil.which(compiler):
        return {}, f"the examples were not run: their sources, make or {compiler} are missing"
    said = output_of([sys.executable, "-B", TESTS, "--platform", platform, "--libraries", build / "lib"])
    found = {name: word == "ok" for name, word in re.findall(r"^(test_\w+) .*\.\.\. (ok|FAIL|ERROR)$", said, re.M)}
    return found or {"examples": False}, ""


def output_of(command):
    return subprocess.run([str(word) for word in command], text=True, timeout=TIMEOUT_SECONDS, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def log_of(context, program):
    """Returns the lines of a short run of a program at INFO."""
    command = [*context.session.under_xsched("--log", "INFO"), context.backend.programs / program, "--seconds", "0.5",
               "--bursts", "3", "--steps", "1000", "--pause-ms", "5"]
    ended = subprocess.run(command, env=context.session.environment, text=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    return ended.returncode, ended.stderr


def run(context):
    logs = {program: log_of(context, program) for program in ("hp", "lp")}
    shows = {program: "scheduler" in log and "preempt level" in log for program, (_, log) in logs.items()}
    found = defaultdict(list)
    for _, way in in_turns(ROUNDS, ("native", "xsched")):
        prefix = (context.native if way == "native" else context.xsched)("hp")
        rows = context.session.start("hp", context_options(context), prefix)
        rows.wait_ready(context.progress)
        found[way].append(report.percentile(latency_us(rows.finish(context.progress, context.seconds + 10)), 50))
    added = (statistics.median(found["xsched"]) / statistics.median(found["native"]) - 1) * 100
    examples, reason = example_tests(context.session.build, context.backend.name, context.backend.stand_in)
    ended_well = {**{program: status == 0 for program, (status, _) in logs.items()}, **examples}
    metrics = {"log_shows_scheduler": shows, "overhead_percent": added, "burst_p50_us": dict(found),
               "example_tests": examples, "programs": ended_well}
    right = all(shows.values()) and all(ended_well.values())
    silent = [f"the log of {program} (status {status}) does not show the scheduler: {log[-1500:]}"
              for program, (status, log) in logs.items() if not shows[program]]
    return Outcome(verdict(right and added < MOST_PERCENT), metrics,
                   [*silent, *filter(None, [reason]), "overhead: programs of bench/programs"],
                   f"overhead {added:+.1f}%, log shows the scheduler: {all(shows.values())}, "
                   f"{sum(ended_well.values())} of {len(ended_well)} programs, {len(examples)} of them examples",
                   timing=right, ran=len(ended_well))


def context_options(context):
    steps = context.session.calibrate(context.workload.hp_kernel_ms, 1)
    return {**context.workload.hp_options("A"), "steps": steps, "seconds": context.seconds / 2}
