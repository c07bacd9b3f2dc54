"""The command lines of the runners: what all of them understand."""
import argparse
from pathlib import Path

from lib import report


def options_parser(description, build="release"):
    """With --build and --results."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--build", type=Path, default=report.ROOT / "build" / build)
    made.add_argument("--results", type=Path, default=report.ROOT / "bench" / "results")
    return made
