#!/usr/bin/env python3
"""hipcc of a root folder, for one source file: the machine's own clang with the version's headers and libraries. Its
kernels have the right names and arguments; the emulator executes nothing of them.

    hipcc.py ROOT -x hip FLAGS... SOURCE -o PROGRAM
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
GPU = "gfx942"
OLDEST = 17  # clang's version: older ones do not know the GPU
LINKING = re.compile(r"-(L|l|Wl,).*|-pthread")


def clang():
    """The newest one; None: there is none that knows the GPU."""
    names = [f"clang++-{number}" for number in range(OLDEST + 20, OLDEST - 1, -1)]
    return next(filter(None, map(shutil.which, names)), None)


def run(*words):
    done = subprocess.run([str(word) for word in words])
    if done.returncode != 0:
        sys.exit(done.returncode)


def main():
    root, words = Path(sys.argv[1]), sys.argv[2:]
    place = words.index("-o")
    program = words[place + 1]
    rest = [word for word in words[:place] + words[place + 2:] if word not in ("-x", "hip")]
    linking = [word for word in rest if LINKING.fullmatch(word)]
    compiling = [word for word in rest if word not in linking]
    cached = ["ccache"] if shutil.which("ccache") else []
    made = f"{program}.o"
    # ROCm's headers are system headers here: they are written for clang, and their warnings do not concern this tree.
    run(*cached, clang(), "-x", "hip", f"--offload-arch={GPU}", "-nogpulib", f"--hip-path={root}/usr", "-isystem",
        root / "usr/include", "-include", HERE / "device_library.h", *compiling, "-c", "-o", made)
    run(clang(), made, "-o", program, f"-L{root}/usr/lib/x86_64-linux-gnu", "-Wl,--allow-shlib-undefined", *linking,
        "-lamdhip64")
    os.unlink(made)


if __name__ == "__main__":
    main()
