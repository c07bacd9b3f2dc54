"""1.2: native programs run without fault, the output shows the scheduler at work, and they are hardly slower."""
import re
import shutil
import statistics
import subprocess
from collections import defaultdict

from context import Outcome, in_turns, verdict
from lib import report
from lib.requests import latency_us

ID, NAME, PASSES = "1.2", "native examples", "no fault, the log shows the scheduler, overhead < 10%"
MOST_PERCENT, ROUNDS, TIMEOUT_SECONDS = 10, 3, 300


def example_tests(build, platform):
    """(name, passed) of the examples' own tests in this build; none if it has none."""
    if not shutil.which("ctest") or not (build / "CTestTestfile.cmake").exists():
        return []
    command = ["ctest", "--test-dir", build, "-R", f"^example.*{platform}"]
    ended = subprocess.run(command, text=True, timeout=TIMEOUT_SECONDS, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    return [(name, word == "Passed") for name, word in re.findall(r"Test +#\d+: (\S+) \.+ *\**(\w+)", ended.stdout)]


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
    examples = example_tests(context.session.build, context.backend.name)
    metrics = {"log_shows_scheduler": shows, "overhead_percent": added, "burst_p50_us": dict(found),
               "example_tests": dict(examples)}
    good = all(shows.values()) and added < MOST_PERCENT and all(passed for _, passed in examples)
    notes = ["programs of bench/programs"] + ([] if examples else ["this build has no tests of examples/"])
    return Outcome(verdict(good), metrics, notes, f"overhead {added:+.1f}%, log shows the scheduler: "
                   f"{all(shows.values())}, {len(examples)} examples")


def context_options(context):
    context.requests.steps = context.requests.steps or context.session.calibrate(context.workload.hp_kernel_ms, 1)
    return {**context.workload.hp_options("A"), "steps": context.requests.steps, "seconds": context.seconds / 2}
