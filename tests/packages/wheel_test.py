#!/usr/bin/env python3
"""The Python wheel in a virtual environment: its libraries are inside, run on old C libraries, and schedule queues.

  wheel_test.py --libraries-of BUILD --driver LIBRARY [unittest's arguments]

BUILD is a folder of CMake whose libraries the wheel takes; LIBRARY a fake CUDA driver. No network is used.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3"  # Debian's: its packages have setuptools, wheel, pip and venv
WORKS_S = 600  # safety: libraries may have to be linked first
FLOOR = (2, 17)  # of cmake/floor.cmake, and of the wheel's name
GIVEN = argparse.Namespace()
QUEUE = """
import sys
sys.path.insert(0, {helpers!r})
from driver_program import DRIVER
exec(DRIVER)
import xsched
xsched.set_scheduler("local", "HPF")
with xsched.Queue(stream.value, priority=3) as queue:
    write(7)
    queue.wait()
    print(xsched.__file__, queue.priority, ctypes.cast(memory, ctypes.POINTER(ctypes.c_uint32))[0])
"""


def run(*words, **environment):
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("XSCHED_", "LD_", "PYTHON", "PIP_"))}
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**clean, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                               **{name: str(value) for name, value in environment.items()}}, timeout=WORKS_S)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        missing = subprocess.run([PYTHON, "-c", "import setuptools, wheel, pip, venv, ensurepip"],
                                 stderr=subprocess.DEVNULL).returncode
        if missing:
            raise unittest.SkipTest("Debian's setuptools, wheel, pip or venv is not installed (scripts/install_deps.sh "
                                    "wheel)")
        folder = tempfile.TemporaryDirectory(prefix="xsched-wheel-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        run(PYTHON, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", cls.folder / "wheels",
            ROOT / "python", XSCHED_BUILD=GIVEN.libraries_of)
        cls.wheel = next((cls.folder / "wheels").glob("*.whl"))
        run(PYTHON, "-m", "venv", cls.folder / "venv")
        cls.python = cls.folder / "venv/bin/python"
        run(cls.python, "-m", "pip", "install", "--no-deps", cls.wheel)

    def test_its_name_says_on_which_systems_it_runs(self):
        self.assertRegex(self.wheel.name, rf"^xsched-[\d.]+-py3-none-manylinux_{FLOOR[0]}_{FLOOR[1]}_\w+\.whl$")

    def test_its_libraries_run_on_the_oldest_c_library(self):
        names = [name for name in zipfile.ZipFile(self.wheel).namelist() if ".so" in name]
        self.assertIn("xsched/lib/libpreempt.so.1", names)
        self.assertIn("xsched/lib/xsched/libshimcuda.so", names)
        with tempfile.TemporaryDirectory() as folder:
            zipfile.ZipFile(self.wheel).extractall(folder)
            for name in names:
                needed = re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "-VW", Path(folder) / name))
                self.assertLessEqual(max([tuple(map(int, version)) for version in needed], default=FLOOR), FLOOR, name)

    def test_a_queue_of_a_program_is_scheduled_with_its_libraries(self):
        place = run(self.python, "-c", "import xsched; print(xsched.__path__[0])").strip()
        said = run(self.python, "-c", QUEUE.format(helpers=str(ROOT / "tests/python")),
                   LD_PRELOAD=f"{place}/lib/xsched/libshimcuda.so", XSCHED_CUDA_LIB=GIVEN.driver, XLOG_LEVEL="ERRO",
                   XSCHED_SOCKET=self.folder / "nobody")
        self.assertEqual(said.split(), [f"{place}/__init__.py", "3", "7"], said)
        self.assertTrue(place.startswith(str(self.folder / "venv")), place)

    def test_it_says_where_it_is_without_a_shim(self):
        said = run(self.python, "-c", "from xsched import _libraries; print(_libraries.folder())")
        self.assertRegex(said, rf"^{re.escape(str(self.folder))}/venv/lib\S*/xsched/lib\n$")


def main():
    parser = argparse.ArgumentParser()
    for option in ("--libraries-of", "--driver"):
        parser.add_argument(option, type=lambda path: Path(path).resolve(), required=True)
    _, rest = parser.parse_known_args(namespace=GIVEN)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
