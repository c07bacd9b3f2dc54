#!/usr/bin/env python3
"""The shim finds the vendor's driver past itself, wherever the dynamic linker would. It says in one line if what it
was told to use is none. Runs programs with the shim preloaded."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GIVEN = None  # the command line


class DriverSearch(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_with(self, program, *arguments, shim=None, preload=None, **environment):
        shim = shim or GIVEN.shim
        preload = ":".join(str(part) for part in (GIVEN.sanitizer, preload, shim) if part)
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("XSCHED_", "XLOG_", "LD_", "FAKE_"))}
        sanitizers = {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
        return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120,
                              env={**clean, **sanitizers, "LD_PRELOAD": preload, "XSCHED_SCHEDULER": "app",
                                   **environment})

    def a_scheduled_launch(self, **environment):
        """One test of the shim's own that needs a working driver. It knows the fake one by XSCHED_CUDA_LIB."""
        return self.run_with(GIVEN.program, "--gtest_filter=Streams.TheNullStreamIsScheduled", **environment)

    def put_driver(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(GIVEN.driver, folder / "libcuda.so.1")
        return folder / "libcuda.so.1"

    def test_without_a_driver_calls_fail_as_the_runtime_expects(self):
        result = self.run_with(GIVEN.without_driver)
        if "the CUDA driver is" in result.stderr:
            self.skipTest("this machine has a CUDA driver")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stderr.count("no CUDA driver is installed"), 1)

    def test_the_driver_named_by_path_is_used(self):
        result = self.a_scheduled_launch(XSCHED_CUDA_LIB=str(GIVEN.driver))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_driver_on_the_search_path_is_found_past_the_shim(self):
        driver = self.put_driver(self.folder / "driver")
        result = self.run_with(GIVEN.without_driver, LD_LIBRARY_PATH=str(driver.parent), XLOG_LEVEL="DEBG")
        self.assertIn(f"the CUDA driver is {driver}", result.stderr)

    def test_the_first_on_the_search_path_wins(self):
        first = self.put_driver(self.folder / "first")
        second = self.put_driver(self.folder / "second")
        result = self.run_with(GIVEN.without_driver, LD_LIBRARY_PATH=f"{self.folder}:{first.parent}:{second.parent}",
                               XLOG_LEVEL="DEBG")
        self.assertIn(f"the CUDA driver is {first}", result.stderr)

    def test_the_shim_itself_on_the_search_path_is_passed_over(self):
        ours = self.folder / "ours"
        ours.mkdir()
        (ours / "libcuda.so.1").symlink_to(GIVEN.shim)
        driver = self.put_driver(self.folder / "driver")
        result = self.run_with(GIVEN.without_driver, LD_LIBRARY_PATH=f"{ours}:{driver.parent}", XLOG_LEVEL="DEBG")
        self.assertIn(f"the CUDA driver is {driver}", result.stderr)

    def test_another_copy_of_the_shim_is_passed_over(self):
        copy = self.folder / "copy"
        copy.mkdir()
        shutil.copy(GIVEN.shim, copy / "libcuda.so.1")
        for library in ("libhalcuda.so", "libpreempt.so"):
            (copy / library).symlink_to(Path(GIVEN.shim).with_name(library))
        driver = self.put_driver(self.folder / "driver")
        result = self.run_with(GIVEN.without_driver, LD_LIBRARY_PATH=f"{copy}:{driver.parent}", XLOG_LEVEL="DEBG")
        self.assertIn(f"the CUDA driver is {driver}", result.stderr)

    def test_a_library_that_is_no_driver_gives_one_line_and_the_search_goes_on(self):
        driver = self.put_driver(self.folder / "driver")
        for wrong, reason in ((Path(GIVEN.shim).with_name("libpreempt.so"), "is not a CUDA driver"),
                              (self.folder / "missing.so", "cannot open shared object file"),
                              (Path(GIVEN.shim), "it is XSched's own shim")):
            result = self.run_with(GIVEN.without_driver, XSCHED_CUDA_LIB=str(wrong),
                                   LD_LIBRARY_PATH=str(driver.parent), XLOG_LEVEL="DEBG")
            self.assertEqual(result.stderr.count("is not used"), 1, result.stderr)
            self.assertIn(reason, result.stderr)
            self.assertIn(f"the CUDA driver is {driver}", result.stderr)

    def test_a_profiler_that_answers_for_the_driver_is_passed_by(self):
        if GIVEN.sanitizer:
            self.skipTest("the sanitizer answers dlopen itself")
        driver = self.put_driver(self.folder / "driver")
        result = self.run_with(GIVEN.without_driver, preload=GIVEN.profiler, LD_LIBRARY_PATH=str(driver.parent),
                               XLOG_LEVEL="DEBG")
        self.assertIn(f"the CUDA driver is {driver}", result.stderr)
        result = self.a_scheduled_launch(preload=GIVEN.profiler, XSCHED_CUDA_LIB=str(GIVEN.driver))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_loading_costs_nothing_without_a_call(self):
        result = self.run_with("/bin/true", XLOG_LEVEL="DEBG")
        self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--shim", "--driver", "--without-driver", "--program", "--profiler"):
        parser.add_argument(option, required=True)
    parser.add_argument("--sanitizer", default="")
    GIVEN, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
