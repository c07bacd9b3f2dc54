#!/usr/bin/env python3
"""The guest libraries for arm64, cross-compiled: they need no newer C library than the floor, and under qemu a program
runs with each shim, uses a device, and throws and catches an exception. The entry of dlsym, which is in assembly, is
tried alone.

  arm64_test.py --build FOLDER [unittest's arguments]

FOLDER is where they are built; what is there from before is used again.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GIVEN = None
COMPILER = "aarch64-linux-gnu-g++"
EMULATORS = ("qemu-aarch64-static", "qemu-aarch64")
SYSROOT = Path("/usr/aarch64-linux-gnu")
BUILDING_S = 1800
RUNNING_S = 120
DRIVERS = {"cuda": "libfakecuda.so", "hip": "libfakehip.so", "opencl": "libfakeopencl.so"}


def emulator():
    return next((found for found in map(shutil.which, EMULATORS) if found), None)


def why_not():
    if shutil.which(COMPILER) is None:
        return f"{COMPILER} is not installed (scripts/install_deps.sh roots)"
    if emulator() is None:
        return f"{EMULATORS[0]} is not installed (scripts/install_deps.sh roots)"
    return None


def skip_without_tools():
    if reason := why_not():
        print(f"skipped: {reason}", flush=True)
        sys.exit(77)


def build():
    def do(*command):
        done = subprocess.run(list(map(str, command)), cwd=ROOT, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=BUILDING_S)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\n{' '.join(map(str, command))}: failed")
    do("cmake", "-G", "Ninja", "-B", GIVEN.build, "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
       f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DCMAKE_C_COMPILER={COMPILER.replace('g++', 'gcc')}",
       "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG", "-DXSCHED_BUILD_TESTS=ON",
       "--log-level=WARNING")
    targets = [f"{layer}{name}" for name in DRIVERS for layer in ("shim", "fake")]
    do("cmake", "--build", GIVEN.build, "-j", os.environ.get("JOBS", os.cpu_count()), "--target", "guest", *targets)


class Arm64(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        skip_without_tools()
        build()
        cls.lib = GIVEN.build / "lib"

    def run_guest(self, *words, **environment):
        given = [option for name, value in environment.items() for option in ("-E", f"{name}={value}")]
        return subprocess.run([emulator(), "-L", SYSROOT, *given, *map(str, words)], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=RUNNING_S)

    def test_nothing_is_newer_than_the_floor(self):
        floor = re.search(r"XSCHED_GLIBC_FLOOR:STRING=(.*)", (GIVEN.build / "CMakeCache.txt").read_text())[1]
        done = subprocess.run([ROOT / "tools" / "lint" / "guest_libraries.py", "--libraries", self.lib,
                               "--floor", floor], text=True, stdout=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_a_program_uses_its_device_and_catches_an_exception(self):
        for name, driver in DRIVERS.items():
            with self.subTest(name):
                shim = {"LD_PRELOAD": f"{self.lib}/$LIB/libshim{name}.so"}
                done = self.run_guest(GIVEN.build / "bin" / "guest", "none", "none", **shim)
                self.assertEqual((done.returncode, done.stdout.split()[-1:]), (0, ["right"]), done.stderr)
                done = self.run_guest(GIVEN.build / "bin" / "guest", name, "none", XSCHED_SCHEDULER="local",
                                      XLOG_LEVEL="INFO", **shim, **{f"XSCHED_{name.upper()}_LIB": self.lib / driver})
                self.assertEqual((done.returncode, done.stdout.split()[-1:]), (0, ["right"]), done.stderr)
                self.assertIn("using local scheduler", done.stderr)


class DlsymEntry(unittest.TestCase):
    """The entry for arm64, by tests/platform/stream/shim/dlsym_entry.cpp. It builds in seconds."""
    def test_the_entry_of_dlsym(self):
        skip_without_tools()
        GIVEN.build.mkdir(parents=True, exist_ok=True)
        program = GIVEN.build / "dlsym_entry"
        entry = "platform/stream/shim/dlsym"
        subprocess.run([COMPILER, "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror",
                        ROOT / f"tests/{entry}_entry.cpp", ROOT / f"src/{entry}.S", "-o", program], check=True)
        done = subprocess.run([emulator(), "-L", SYSROOT, program], text=True, stdout=subprocess.PIPE,
                              timeout=RUNNING_S)
        self.assertEqual((done.returncode, done.stdout), (0, "right\n"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    GIVEN, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
