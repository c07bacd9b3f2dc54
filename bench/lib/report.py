"""Numbers, tables and result files."""
import datetime
import json
import os
import platform
import subprocess
import time
from pathlib import Path

from . import spread

ROOT = Path(__file__).resolve().parents[2]
VERSION_VARIABLE = "XSCHED_BENCH_VERSION"


def percentile(values, percent):
    return spread.quantile(values, percent)


def summary(values):
    return {**{f"p{which}": percentile(values, which) for which in (50, 90, 99)}, "max": max(values),
            "count": len(values)}


def table(rows):
    """Text columns; the first is aligned left, numbers right. The first row is the heading."""
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join([f"{row[0]:<{widths[0]}}"] + [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:])])
             for row in rows]
    return "\n".join([lines[0], "-" * len(lines[0])] + lines[1:])


def targets_table(targets):
    """[(what, value, limit, "<=" or ">=", unit)] with yes or no for each."""
    rows = [("target", "measured", "asked", "met")]
    for what, value, relation, limit, unit in targets:
        rows.append((what, "-" if value is None else f"{value:.2f}{unit}", f"{relation} {limit:g}{unit}",
                     "not measured" if value is None else "yes" if met(value, relation, limit) else "no"))
    return table(rows)


def targets_json(targets):
    return [{"what": what, "measured": value, "asked": f"{relation} {limit:g}{unit}",
             "met": met(value, relation, limit)}
            for what, value, relation, limit, unit in targets]


def met(value, relation, limit):
    """A figure that was not measured (None) is not met."""
    return value is not None and (value <= limit if relation == "<=" else value >= limit)


def cpu_model():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def version():
    if VERSION_VARIABLE in os.environ:  # a copy of the tree without its history
        return os.environ[VERSION_VARIABLE]
    result = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=ROOT, text=True,
                            capture_output=True)
    return result.stdout.strip() if result.returncode == 0 else "not from a git checkout"


def on_nvidia(device=""):
    """The head of a result from a machine with one NVIDIA GPU. `device`: its name where the driver tells none."""
    found = {"when": time.strftime("%F %T %z"), "kernel": platform.release(), "device": device, "driver": "",
             "version": os.environ.get(VERSION_VARIABLE, "")}
    asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, timeout=30, check=True).stdout
        found["device"], found["driver"] = (word.strip() for word in said.splitlines()[0].split(","))
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        pass
    return found


DOCUMENTED_STATUS = {"passed": "PASS", "failed": "FAIL", "skipped": "SKIP"}


def write_result(folder, test_id, test_name, backend, status, metrics, notes, file=None):
    """One JSON file (`file`.json, or of the test's id) of a test's last run; returns its path. `status`: passed, failed
    or skipped, or whether it passed. In the file "status" is the documents' word for it, "verdict" ours."""
    verdict = status if isinstance(status, str) else "passed" if status else "failed"
    result = {
        "test_id": test_id,
        "test_name": test_name,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "hardware": f"{backend.device}; {os.cpu_count()} CPUs, {cpu_model()}",
        "driver_version": backend.driver,
        **({"rocm_version": backend.driver} if backend.name == "hip" else {}),
        "xsched_version": version(),
        "status": DOCUMENTED_STATUS.get(verdict, verdict.upper()),
        "verdict": verdict,
        "metrics": metrics,
        "notes": notes,
    }
    Path(folder).mkdir(parents=True, exist_ok=True)
    path = Path(folder) / f"{file or test_id}.json"
    path.write_text(json.dumps(result, indent=2) + "\n")
    return path
