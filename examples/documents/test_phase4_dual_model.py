#!/usr/bin/python3
"""Two models on one accelerator, one urgent: example 5 with the documents' options.
Usage: test_phase4_dual_model.py [--duration SECONDS] [--output FILE] [more options of dual_model.py]"""
import argparse
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1] / "5_pytorch_dual_model" / "dual_model.py"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duration", type=float, default=30, help="seconds of each part")
    parser.add_argument("--output", help="where the figures go, as JSON")
    parser.add_argument("--platform", default="hip", help="hip (default), cuda or opencl")
    known, more = parser.parse_known_args()
    words = [sys.executable, str(PROGRAM), "--platform", known.platform, "--seconds", str(known.duration), *more]
    if known.output:
        words += ["--json", known.output]
    return subprocess.run(words, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
