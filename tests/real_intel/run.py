#!/usr/bin/env python3
"""The Level Zero shim on Intel's own driver, without a GPU: `make real-intel`.

    run.py --build DIR

Debian's packages of the driver are unpacked into build/real-intel; nothing is installed. The driver captures commands
in a file instead of giving them to a GPU. So its calls, handles and fences are real, and no command has an effect. A
program must see the same results of all calls with the shim as without, and the shim must have seen all its commands.
"""
import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PACKAGES = ("intel-opencl-icd libigdgmm12 libigc1 libigdfcl1 libllvmspirvlib14 libllvm14 libopencl-clang14 "
            "libclang-cpp14").split()
CAPTURE = {"NEOReadDebugKeys": "1", "SetCommandStreamReceiver": "1", "ProductFamilyOverride": "tgllp",
           "HardwareInfoOverride": "1x6x16"}
WAYS = ({}, {"XSCHED_AUTO_XQUEUE_THRESHOLD": "4"}, {"XSCHED_AUTO_XQUEUE_PRIORITY": "-5"}, {"XSCHED_SCHEDULER": "local"})
COMMANDS = {"linked": 122, "tables": 40}
LONGEST_S = 120


def prepare(folder):
    """The folder with the driver's libraries."""
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("*.deb")):
        subprocess.run(["apt-get", "download", *PACKAGES], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, folder / "root"], check=True)
    subprocess.run(["c++", "-std=c++20", "-O1", Path(__file__).with_name("program.cpp"), "-o", folder / "program",
                    "-lze_loader", "-ldl"], check=True)
    return next((folder / "root/usr/lib").glob("*/libze_intel_gpu.so.1")).parent


def run(folder, libraries, how, **more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XSCHED_", "XLOG_"))}
    environment |= CAPTURE | {"LD_LIBRARY_PATH": str(libraries)} | more
    done = subprocess.run([folder / "program", how], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=LONGEST_S, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=Path)
    shim = str(parser.parse_args().build.resolve() / "lib/libshimlevelzero.so")
    folder = TOP / "build/real-intel"
    libraries = prepare(folder)
    passed = failed = 0
    for how, commands in COMMANDS.items():
        alone = run(folder, libraries, how)
        if alone[0] != 0 or re.search(r": [1-9a-f]", alone[1]):
            sys.exit(f"the program fails without XSched: {alone}")
        for way in WAYS:
            more = {"LD_PRELOAD": shim, "XSCHED_SCHEDULER": "app"} | way
            quiet = run(folder, libraries, how, XLOG_LEVEL="WARN", **more)
            loud = run(folder, libraries, how, XLOG_LEVEL="DEBG", **more)
            seen = len(re.findall(r"\] ze\w+ on (list|queue)", loud[1] + loud[2]))
            good = quiet == alone and seen == commands
            print(f"{'passed' if good else 'FAILED'}: {how} {way}, {seen} commands seen")
            passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
