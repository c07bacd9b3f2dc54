#!/usr/bin/python3
"""The examples build with their own Makefiles, run natively and under XSched, and print what their READMEs show."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GIVEN = None  # the command line
TASK = r"Task \d+ completed in \d+ ms"
# folder: (program, arguments of a short run, every line it prints)
EXAMPLES = {
    "1_transparent_sched": ("app", ["3"], TASK),
    "2_give_hints": ("app_with_hints", ["5", "3"], "Prio 5 " + TASK),
    "3_intra_process_sched": ("app_concurrent", ["6"],
                              rf"Prio [12] {TASK}|Prio 2: [\d.]+ ms on average, Prio 1: [\d.]+ ms, ratio [\d.]+"),
    "4_manual_sched": ("app_sched", ["4"], f"(high|low ) prio {TASK}"),
}
DUAL = "5_pytorch_dual_model"


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        if GIVEN.driver:  # the programs are linked to it under this name
            (cls.folder / "libcuda.so.1").symlink_to(GIVEN.driver.resolve())
        shutil.copytree(ROOT / "examples", cls.folder / "examples",
                        ignore=lambda _, names: [name for name in names if re.fullmatch(r"app\w*", name)])

    def environment(self, **more):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("XSCHED_", "XLOG_", "LD_"))}
        clean.update(XSCHED_SOCKET=str(self.folder / "nobody.sock"), XLOG_LEVEL="INFO", PYTHONDONTWRITEBYTECODE="1")
        if GIVEN.driver:
            clean.update(XSCHED_CUDA_LIB=str(GIVEN.driver), LD_LIBRARY_PATH=str(self.folder))
        return {**clean, **more}

    def build(self, name):
        folder = self.folder / "examples" / name
        done = subprocess.run(["make", "-s", GIVEN.platform, f"XSCHED_INCLUDE={ROOT / 'include'}",
                               f"XSCHED_LIB={GIVEN.libraries}", f"CUDA_PATH={GIVEN.cuda or '/usr/local/cuda'}"],
                              cwd=folder, capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        return folder / EXAMPLES[name][0]

    def run_it(self, program, arguments, **environment):
        done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120,
                              env=self.environment(**environment))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def shim(self):
        return str(GIVEN.libraries / f"libshim{GIVEN.platform}.so")

    def check(self, name):
        program = self.build(name)
        _, arguments, line = EXAMPLES[name]
        done = self.run_it(program, arguments, LD_PRELOAD=self.shim(), XSCHED_SCHEDULER="LCL")
        self.assertTrue(done.stdout)
        for printed in done.stdout.splitlines():
            self.assertRegex(printed, f"^(?:{line})$")
        return done

    def test_1_transparent(self):
        done = self.check("1_transparent_sched")
        self.assertEqual(done.stdout.count("\n"), 3)
        self.assertIn("using local scheduler with policy HPF", done.stderr)
        if GIVEN.platform == "opencl":  # on the fake driver there is no libcuda but the shim
            native = self.run_it(self.folder / "examples" / "1_transparent_sched" / "app", ["2"])
            self.assertEqual(native.stderr, "", "it knows nothing of XSched")

    def test_2_hints(self):
        self.assertEqual(self.check("2_give_hints").stdout.count("\n"), 3)

    def test_3_intra_process(self):
        done = self.check("3_intra_process_sched")
        self.assertIn("using local scheduler with policy HPF", done.stderr)
        self.assertNotIn("WARN", done.stderr)
        ratio = float(re.search(r"ratio ([\d.]+)", done.stdout).group(1))
        self.assertGreater(ratio, 1.5, "the more urgent stream is served first:\n" + done.stdout)

    def test_4_manual(self):
        done = self.check("4_manual_sched")
        self.assertIn("using app-managed scheduler", done.stderr)
        self.assertEqual(done.stdout.count("high prio"), 4)

    def test_5_dual_model(self):
        if GIVEN.platform != "opencl":
            self.skipTest("needs PyTorch and a GPU")
        if subprocess.run([sys.executable, "-c", "import pyopencl, numpy"], capture_output=True).returncode != 0:
            self.skipTest("pyopencl is not installed")
        script = self.folder / "examples" / DUAL / "dual_model.py"
        done = self.run_it(sys.executable, [str(script), "--platform", "opencl", "--seconds", "1"],
                           PYTHONPATH=str(ROOT / "python"), LD_LIBRARY_PATH=str(GIVEN.libraries))
        numbers = r"\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+[\d.]+$"
        self.assertRegex(done.stdout, r"(?m)^\s+small network \(high\)\s+large network \(low\)$")
        self.assertRegex(done.stdout, "(?m)^native" + numbers)
        self.assertRegex(done.stdout, "(?m)^xsched" + numbers)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--platform", required=True, choices=("opencl", "cuda", "hip"))
    parser.add_argument("--libraries", type=Path, required=True, help="the folder of XSched's libraries")
    parser.add_argument("--driver", type=Path, help="libfakecuda.so")
    parser.add_argument("--cuda", type=Path, help="the CUDA toolkit")
    GIVEN = parser.parse_args()
    unittest.main(argv=sys.argv[:1], verbosity=2)
