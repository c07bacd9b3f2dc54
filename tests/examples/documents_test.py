#!/usr/bin/python3
"""The programs and paths that the requirements name: they are there, take the options that the documents give them, and
say what is missing where they cannot run."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ROOT / "examples" / "documents"
API_CALLS = ROOT / "tests" / "acceptance" / "api_calls.py"
GIVEN = None


def run(*words, **more):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "LD_LIBRARY_PATH": str(GIVEN.libraries), **more}
    return subprocess.run([str(word) for word in words], env=environment, capture_output=True, text=True, timeout=200)


class Paths(unittest.TestCase):
    def test_the_examples_are_where_the_documents_look(self):
        for name in ("1_transparent_sched", "2_give_hints", "2_device_partition", "3_intra_process_sched"):
            self.assertTrue((ROOT / "examples" / "Linux" / name / "Makefile").exists(), name)

    def test_make_hip_puts_libraries_where_the_documents_copy_them(self):
        # `make -n` prints the commands without running them, since the build takes minutes. Only those that make
        # folders and links are run.
        said = subprocess.run(["make", "-n", "hip"], cwd=ROOT, capture_output=True, text=True, timeout=100)
        self.assertEqual(said.returncode, 0, said.stderr)
        with tempfile.TemporaryDirectory() as folder:
            for line in said.stdout.splitlines():
                if re.match(r"mkdir -p output|for \w+ in .*ln -sfn|ln -sfn", line):
                    subprocess.run(["sh", "-c", line], cwd=folder, check=True)
            links = {path.relative_to(folder).as_posix(): os.readlink(path)
                     for path in Path(folder).rglob("*") if path.is_symlink()}
        self.assertEqual(links["output/lib"], "../build/release-hip/lib")
        # The names with a version number are those that the dynamic linker looks for beside a copied shim.
        for name in ("libhalhip.so", "libshimhip.so", "libpreempt.so", "libhalhip.so.1", "libpreempt.so.1"):
            self.assertEqual(links[f"build/platforms/hip/{name}"], f"../../release-hip/lib/{name}")


class Programs(unittest.TestCase):
    def test_phase_4_writes_the_documents_fields(self):
        if run(sys.executable, "-c", "import pyopencl, numpy").returncode != 0:
            self.skipTest("pyopencl is not installed")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "result.json"
            done = run(sys.executable, DOCUMENTS / "test_phase4_dual_model.py", "--platform", "opencl", "--duration",
                       "1", "--output", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(file.read_text())
        self.assertEqual((found["test_id"], found["status"]), ("P4", "PASS"))
        self.assertGreater(found["metrics"]["xsched"]["p99"], 0)

    def test_debug_logs_are_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "debug.log"
            done = run(DOCUMENTS / "run_test3_with_debug_logs.sh", sys.executable, API_CALLS, "hip",
                       SHIM=str(GIVEN.libraries / "libshimhip.so"), XSCHED_HIP_LIB=str(GIVEN.driver), LOG=str(log),
                       XSCHED_SCHEDULER="local")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            text = log.read_text()
        counts = dict(line.rsplit(None, 1) for line in done.stdout.splitlines() if line.rsplit(None, 1)[-1].isdigit())
        for pattern in ("streamcreate|priority", "launchkernel|kernel.*launch", "Launch|Sync|Create", "malloc|free"):
            self.assertGreater(int(counts[pattern]), 0, text)
        self.assertIn("using local scheduler with policy HPF", done.stdout)
        self.assertRegex(text, r"LaunchKernel of 'busy' on stream \S+ \(command \d+ created\)")

    def test_level_3_is_xclis_own_trial(self):
        done = run(DOCUMENTS / "test_cwsr_lv3", "--save", "x.json", XCLI="/bin/echo")
        self.assertEqual(done.stdout, "doctor --run --platform hip --level 3 --save x.json\n")

    def test_without_a_device_they_say_so(self):
        for name in ("test_xsched_simple.py", "test_xsched_integration.py"):
            done = run(sys.executable, DOCUMENTS / name)
            if done.returncode != 0:  # 0: there is one
                self.assertRegex(done.stderr, "^skipped: ")
        done = run(sys.executable, DOCUMENTS / "test_xsched_preload.py", "/no/such/shim.so")
        self.assertIn("/no/such/shim.so is not there", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--libraries", type=Path, required=True, help="the folder of XSched's libraries")
    parser.add_argument("--driver", type=Path, required=True, help="the stand-in of HIP's runtime")
    GIVEN = parser.parse_args()
    unittest.main(argv=sys.argv[:1], verbosity=2)
