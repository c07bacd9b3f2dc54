#!/usr/bin/python3
"""The long runs of HIP's stand-ins (bench/hip/run_stand_ins.py), briefly, from a pack: what is moved elsewhere runs,
the results say so, and a run that does not meet what is asked fails the whole."""
import argparse
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GIVEN = None


class StandIns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.pack = Path(cls.folder.name) / "pack"
        subprocess.run([ROOT / "scripts" / "pack_stand_ins.sh", GIVEN.build, cls.pack], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_only(self, name):
        """(exit status, results)"""
        out = Path(self.folder.name) / "out"
        done = subprocess.run([sys.executable, "-B", ROOT / "bench" / "hip" / "run_stand_ins.py", "--build", self.pack,
                               "--out", out, "--share", "0.001", "--limit", "120", "--only", name], timeout=200)
        return done.returncode, json.loads((out / "stand_ins.json").read_text())

    def test_kills(self):
        status, found = self.run_only("kills")
        self.assertEqual((status, found["status"], found["metrics"]["sums"]), (0, "PASS", {"kills": 12}))

    def test_one_mode_of_the_storm(self):
        status, found = self.run_only("preemptions copies_in_pieces_before")
        self.assertEqual((status, list(found["metrics"]["runs"])), (0, ["preemptions copies_in_pieces_before_gates"]))

    def test_one_mode_of_the_order_checker(self):
        status, found = self.run_only("order shim_threshold")
        self.assertEqual((status, found["metrics"]["sums"]["violations"]), (0, 0))
        self.assertGreaterEqual(found["metrics"]["sums"]["operations"], 1000)

    def test_two_streams_are_timed(self):
        _, found = self.run_only("ratio level 3")  # how it ends depends on who else is on the machine
        self.assertGreater(found["metrics"]["runs"]["ratio level 3"]["ratio"], 0)

    def test_a_program_that_is_not_there_fails(self):
        program = self.pack / "bin" / "order_check_hip"
        program.rename(program.with_name("away"))
        try:
            status, found = self.run_only("order shim_threshold")
        finally:
            program.with_name("away").rename(program)
        self.assertEqual((status, found["status"], found["failed"]), (1, "FAIL", ["order shim_threshold"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    GIVEN, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
