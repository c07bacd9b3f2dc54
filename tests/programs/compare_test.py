#!/usr/bin/env python3
"""compare.py on a program that writes to standard error only when its kernel cache is empty, as PoCL's compiler does:
with --warm-up that is no difference, and whatever else appears with the library alone still is one.

  compare_test.py --library LIB
"""
import argparse
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMPARE = Path(__file__).resolve().parent / "compare.py"
COMPILES = 'mkdir -p "$POCL_CACHE_DIR"; [ -e "$POCL_CACHE_DIR/kernel" ] || echo "1 warning generated." >&2; '
KEEPS = 'touch "$POCL_CACHE_DIR/kernel"; '
library = ""


def compared(script, *options):
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-B", str(COMPARE), "--library", library, *options, "--", "sh", "-c", script]
        return subprocess.run(command, env=dict(os.environ, POCL_CACHE_DIR=cache), text=True, capture_output=True,
                              timeout=60, check=False)


class Compare(unittest.TestCase):
    def test_warnings_of_a_cold_cache_differ_without_warm_up(self):
        self.assertIn("standard error differs", compared(COMPILES + KEEPS).stdout)

    def test_and_do_not_with_it(self):
        done = compared(COMPILES + KEEPS, "--warm-up")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_kernel_cache_is_its_own_and_empty(self):
        done = compared('echo "$POCL_CACHE_DIR"; ls "$POCL_CACHE_DIR" | wc -l', "--warm-up", "--expect", "^0$")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_line_that_comes_with_the_library_alone_is_a_difference(self):
        script = COMPILES + KEEPS + 'case "$LD_PRELOAD" in *shim*) echo "odd" >&2 ;; esac'
        self.assertIn("odd", compared(script, "--warm-up").stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    known, rest = parser.parse_known_args()
    library = known.library
    unittest.main(argv=[sys.argv[0], *rest])
