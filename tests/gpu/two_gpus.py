"""The common part of the tests on two GPUs: their options, and whether there are two."""
import argparse
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from lib import report  # noqa: E402

NOT_HERE = 77
LOAD_SECONDS = 90


def devices():
    counted = subprocess.run(["python3", "-c", "import torch; print(torch.cuda.device_count())"], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return int(counted.stdout) if counted.returncode == 0 else 0


def options_of(description):
    """Ends the program where there are not two GPUs."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", type=Path, default=report.ROOT / "build" / "release")
    parser.add_argument("--results", type=Path, default=report.ROOT / "bench" / "results")
    options = parser.parse_args()
    if devices() < 2:
        print("skipped: there are not two GPUs that a python3 with PyTorch finds")
        sys.exit(NOT_HERE)
    return options
