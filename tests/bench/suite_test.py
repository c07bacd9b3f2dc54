#!/usr/bin/python3
"""The whole benchmark suite, in its tiny profile: it ends in time, every question leaves a result or a reason, the
report is there, and no run fails. Targets do not count: this machine may be busy.

    suite_test.py --build BUILD --platform cuda --driver libfakecuda.so
    suite_test.py --build BUILD --platform opencl --only main_job
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import questions  # noqa: E402
from lib.suite import PROFILES  # noqa: E402

TIMEOUT_SECONDS = 100
FIELDS = ["test_id", "test_name", "date", "hardware", "driver_version", "xsched_version", "status", "verdict",
          "metrics", "notes"]


def environment_with(driver, folder):
    """libcuda.so.1 is the given library."""
    if driver is None:
        return dict(os.environ)
    (folder / "libcuda.so.1").symlink_to(driver.resolve())
    known = os.environ.get("LD_LIBRARY_PATH")
    return {**os.environ, "LD_LIBRARY_PATH": f"{folder}:{known}" if known else str(folder)}


def complaints(results, output, asked):
    found = {path.stem: json.loads(path.read_text()) for path in results.glob("bench_*.json")}
    reasons = json.loads((results / "not_measured.json").read_text())
    for name in asked:
        said = any(reason.startswith(f"{name}:") for reason in reasons)
        if f"bench_{name}" not in found and not said:
            yield f"{name}: no result and no reason"
    if "bench_main_job" not in found:
        yield "main_job was not measured"
    for name, result in found.items():
        if list(result) != FIELDS:
            yield f"{name}: fields {list(result)}"
        yield from (f"{name}: {sentence}" for sentence in result["metrics"]["failures"])
    if "<svg" not in (results / "report.html").read_text():
        yield "the report has no plot"
    if "report: " not in output:
        yield "the suite does not say where its report is"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--platform", required=True)
    parser.add_argument("--driver", type=Path)
    parser.add_argument("--only", help="these questions; else all of the profile")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results"
        command = [sys.executable, "-B", ROOT / "bench" / "suite.py", "--build", options.build, "--platform",
                   options.platform, "--profile", "tiny", "--budget", "60", "--results", results]
        asked = options.only.split(",") if options.only else [
            name for name in questions.ALL if name not in PROFILES["tiny"].skip]
        command += ["--only", ",".join(asked)]
        ended = subprocess.run(command, text=True,
                               env=environment_with(options.driver, Path(folder)), stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, timeout=TIMEOUT_SECONDS)
        print(ended.stdout)
        if ended.returncode != 0:
            print(f"the suite ends with status {ended.returncode}")
            return 1
        wrong = list(complaints(results, ended.stdout, asked))
    for sentence in wrong:
        print(f"wrong: {sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
