#!/usr/bin/env python3
"""The Level Zero and OpenCL shims on Intel's own drivers, without a GPU: `make real-intel`.

    run.py --build DIR

Debian's packages of the drivers are unpacked into build/real-intel; nothing is installed. The drivers capture commands
in a file instead of giving them to a GPU. So their calls, handles, compilers and fences are real, and no command has an
effect. A program must see the same results of all calls with the shim as without, and the shim must have seen all its
commands. Exit status 1 if anything failed; 77, with the reason, if the packages cannot be had.
"""
import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PACKAGES = ("intel-opencl-icd libigdgmm12 libigc1 libigdfcl1 libllvmspirvlib14 libllvm14 libopencl-clang14 "
            "libclang-cpp14").split()
CAPTURE = {"NEOReadDebugKeys": "1", "SetCommandStreamReceiver": "1", "ProductFamilyOverride": "tgllp",
           "HardwareInfoOverride": "1x6x16"}
WAYS = ({}, {"XSCHED_AUTO_XQUEUE_THRESHOLD": "4"}, {"XSCHED_AUTO_XQUEUE_PRIORITY": "-5"}, {"XSCHED_SCHEDULER": "local"})
LIBRARIES = {"levelzero": ["-lze_loader", "-ldl"], "opencl": ["-DCL_TARGET_OPENCL_VERSION=300", "-lOpenCL"]}
LONGEST_S = 120
SKIPPED = 77


@dataclass
class Case:
    """A way for a program to reach its driver. `seen`: a line of the shim's log for each of the `commands`."""
    platform: str
    how: str
    shim_by: str  # the variable that loads the shim
    seen: str
    commands: int


CASES = (Case("levelzero", "linked", "LD_PRELOAD", r"\] ze\w+ on (list|queue)", 122),
         Case("levelzero", "tables", "LD_PRELOAD", r"\] ze\w+ on (list|queue)", 40),
         Case("opencl", "linked", "LD_PRELOAD", r"\] clEnqueue\w+ (of kernel .* )?on queue", 106),
         Case("opencl", "layer", "OPENCL_LAYERS", r"\] clEnqueue\w+ (of kernel .* )?on queue", 106))


def skipped(reason):
    print(f"skipped: {reason}")
    return SKIPPED


def prepare(folder):
    """The folder with the drivers' libraries."""
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("*.deb")):
        fetched = subprocess.run(["apt-get", "download", *PACKAGES], cwd=folder, stdout=subprocess.DEVNULL, check=False)
        if fetched.returncode != 0:
            sys.exit(skipped("apt-get cannot fetch Intel's drivers: they are in Debian 12"))
    if not (folder / "root").exists():
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, folder / "root"], check=True)
    for platform, options in LIBRARIES.items():
        name = f"{platform}_program"
        subprocess.run(["c++", "-std=c++20", "-O1", Path(__file__).with_name(f"{name}.cpp"), "-o", folder / name,
                        *options], check=True)
    return next((folder / "root/usr/lib").glob("*/libze_intel_gpu.so.1")).parent


def run(folder, libraries, case, **more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XSCHED_", "XLOG_"))}
    environment |= CAPTURE | {"LD_LIBRARY_PATH": str(libraries), **more,
                              "OCL_ICD_VENDORS": str(libraries / "intel-opencl/libigdrcl.so")}
    done = subprocess.run([folder / f"{case.platform}_program", case.how], cwd=folder, env=environment,
                          capture_output=True, text=True, timeout=LONGEST_S, check=False)
    return done.returncode, done.stdout, done.stderr


def check(folder, libraries, case, shim):
    """Prints a line for each way. Returns how many passed, and how many did not."""
    alone = run(folder, libraries, case)
    if alone[0] != 0 or (case.platform == "levelzero" and re.search(r": [1-9a-f]", alone[1])):
        sys.exit(f"the program fails without XSched: {alone}")
    passed = 0
    for way in WAYS:
        more = {case.shim_by: str(shim), "XSCHED_SCHEDULER": "app"} | way
        quiet = run(folder, libraries, case, XLOG_LEVEL="WARN", **more)
        loud = run(folder, libraries, case, XLOG_LEVEL="DEBG", **more)
        seen = len(re.findall(case.seen, loud[1] + loud[2]))
        good = quiet == alone and seen == case.commands
        print(f"{'passed' if good else 'FAILED'}: {case.platform}, {case.how} {way}, {seen} commands seen")
        passed += good
    return passed, len(WAYS) - passed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=Path)
    build = parser.parse_args().build.resolve()
    folder = TOP / "build/real-intel"
    libraries = prepare(folder)
    found = [check(folder, libraries, case, build / f"lib/libshim{case.platform}.so") for case in CASES]
    passed, failed = (sum(numbers) for numbers in zip(*found))
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
