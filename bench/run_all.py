#!/usr/bin/python3
"""All benchmarks, one after the other. Exit status 1 if a target was missed, 2 if one could not be measured."""
import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BENCHMARKS = ["host_cost.py", "main_job.py", "preempt_latency.py"]
ON_NVIDIA = ["cuda/main_job.py", "cuda/launch_cost.py", "cuda/pytorch/overhead.py", "cuda/pytorch/serving.py"]
NEEDS_NVIDIA = [HERE.parent / "scripts" / "need_gpu", "cuda", "true"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=HERE.parent / "build" / "release")
    arguments = parser.parse_args()
    here = BENCHMARKS + (ON_NVIDIA if subprocess.run(NEEDS_NVIDIA).returncode == 0 else [])
    return max(subprocess.run([HERE / name, "--build", arguments.build]).returncode for name in here)


if __name__ == "__main__":
    sys.exit(main())
