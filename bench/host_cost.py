#!/usr/bin/python3
"""The cost of XSched and the speed of its decisions, without any accelerator: host time added to each enqueue on an
open queue, and the time from an urgent queue's readiness to the directive in the victim's memory. Half a minute; the
machine should be otherwise idle."""
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import backend as backends  # noqa: E402
from lib import programs, report  # noqa: E402
from lib.command import options_parser  # noqa: E402

TIMEOUT_SECONDS = 120


def run(session, name, **environment):
    """The JSON that bin/NAME prints. A packed one (scripts/pack_gpu.sh) does not know where its libraries are."""
    environment = {**session.environment, "XLOG_LEVEL": "ERRO", "LD_LIBRARY_PATH": str(session.build / "lib"),
                   **environment}
    result = subprocess.run([session.build / "bin" / name], env=environment, text=True, capture_output=True,
                            timeout=TIMEOUT_SECONDS)
    if result.returncode != 0:
        raise programs.ProgramFailed(f"{name} ended with status {result.returncode}:\n{result.stderr[-2000:]}")
    return json.loads(result.stdout)


def measure(session):
    """Returns the figures of enqueue_cost with each scheduler that needs no server, and of directive_latency."""
    try:
        cost = {scheduler: run(session, "enqueue_cost", XSCHED_SCHEDULER=scheduler) for scheduler in ("app", "local")}
        return cost, run(session, "directive_latency")
    except subprocess.TimeoutExpired as error:
        raise programs.ProgramFailed(str(error)) from error


def targets(cost, directive):
    latency = {found["run"]: found["p99_us"] for found in directive["runs"]}
    return [
        ("added host time per enqueue, streaming", cost["app"]["streaming_ns"], "<=", 300, " ns"),
        ("the same, idle before each", cost["app"]["idle_ns"], "<=", 300, " ns"),
        ("the same, local scheduler", cost["local"]["streaming_ns"], "<=", 300, " ns"),
        ("ready to directive p99, server awake", latency["awake"], "<=", 30, " us"),
        ("the same, server asleep", latency["asleep"], "<=", 100, " us"),
    ]


def main():
    parser = options_parser(__doc__)
    arguments = parser.parse_args()
    try:
        with programs.Session(arguments.build) as session:
            cost, directive = measure(session)
    except (OSError, programs.ProgramFailed) as error:
        print(error, file=sys.stderr)
        return 2
    asked = targets(cost, directive)
    passed = all(report.met(value, relation, limit) for _, value, relation, limit, _ in asked)
    print(report.targets_table(asked))
    host = backends.Backend("host", "host", session.build, "no accelerator", "", "none")
    print(report.write_result(arguments.results, "host_cost", "host time per enqueue and decision latency", host,
                              passed, {"enqueue": cost, "directive": directive["runs"]},
                              f"load {os.getloadavg()[0]:.1f} at the end"))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
