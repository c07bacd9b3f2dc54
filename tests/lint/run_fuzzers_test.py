#!/usr/bin/python3
"""scripts/run_fuzzers.py: every finding counts as a failure, and so does a target that ran nothing."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "run_fuzzers.py"
GOOD = "echo '#200 DONE   cov: 33 ft: 40'\necho 'stat::number_of_executed_units: 200'\n"


class RunFuzzers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "bin").mkdir()

    def target(self, name, body):
        path = self.folder / "bin" / f"fuzz_{name}"
        path.write_text("#!/bin/sh\n" + body)
        path.chmod(0o755)

    def run_all(self, *more):
        result = subprocess.run([sys.executable, SCRIPT, "--build", self.folder, "--tests", self.folder, *more],
                                capture_output=True, text=True, timeout=60)
        return result.returncode, result.stdout + result.stderr

    def test_what_passes_is_counted(self):
        self.target("one", GOOD)
        self.target("two", GOOD)
        status, output = self.run_all()
        self.assertEqual(status, 0, output)
        self.assertIn("one: 200 inputs in 0 s, 33 branches covered", output)
        self.assertTrue(output.endswith("2 passed, 0 failed\n"), output)

    def test_a_finding_fails_and_says_how_to_repeat_it(self):
        self.target("one", GOOD)
        self.target("bad", GOOD + "echo 'does not hold: sums are sums'\necho 'Test unit written to /f/bad-1'\n" +
                    "exit 77\n")
        status, output = self.run_all()
        self.assertEqual(status, 1)
        self.assertIn("does not hold: sums are sums", output)
        self.assertIn("fuzz_bad /f/bad-1", output)
        self.assertTrue(output.endswith("1 passed, 1 failed\n"), output)

    def test_what_ran_nothing_has_not_passed(self):
        self.target("idle", "exit 0\n")
        self.assertEqual(self.run_all()[0], 1)

    def test_no_target_at_all_has_not_passed(self):
        self.assertEqual(self.run_all()[0], 1)

    def test_the_time_and_the_folders_are_passed_on(self):
        (self.folder / "dictionaries").mkdir()
        (self.folder / "dictionaries" / "one.dict").write_text('"a"\n')
        self.target("one", GOOD + 'echo "ERROR: $@"\nexit 1\n')
        output = self.run_all("--seconds", "7", "one")[1]
        self.assertIn("-max_total_time=7", output)
        self.assertIn(f"-dict={self.folder}/dictionaries/one.dict", output)
        self.assertIn(f"{self.folder}/corpus/one {self.folder}/corpus/one", output)

    def test_an_unknown_target_is_told(self):
        self.target("one", GOOD)
        status, output = self.run_all("two")
        self.assertEqual(status, 1)
        self.assertIn("there is no fuzz target two: there are one", output)


if __name__ == "__main__":
    unittest.main()
