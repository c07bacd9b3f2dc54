"""The common part of test scripts: their command line, and waiting."""
import argparse
import sys
import time
import unittest
from pathlib import Path


def run_tests(given, *paths):
    """Reads the paths that the command line names into `given` and runs the script's tests with the other words."""
    parser = argparse.ArgumentParser()
    for name in paths:
        parser.add_argument(f"--{name}", type=lambda path: Path(path).resolve(), required=True)
    _, rest = parser.parse_known_args(namespace=given)
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])


def awaited(found, seconds, what=""):
    """Waits until `found` returns something true, and returns it. Raises AssertionError if that takes too long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.05)
    raise AssertionError(f"not so after {seconds} s: {what}")


def eventually(condition, seconds):
    """Returns whether the condition comes to hold within that time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
