"""Builds the emulator and the tests' programs, with this machine's compiler, against what a root folder has."""
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import packages

HERE = Path(__file__).parent
TOP = HERE.parent.parent
FLAGS = ["-std=c++20", "-O2", "-g", "-Wall", "-Wextra", "-Werror"]
LIBRARIES = "usr/lib/x86_64-linux-gnu"
ALONE = ("names", "bursts", "preempt", "gpus", "ending", "launch_cost", "moves")  # linked to the runtime alone


class CompileError(Exception):
    """Returns the compiler's messages."""


def compiler():
    words = [os.environ.get("CXX") or "g++"]
    return (["ccache"] if shutil.which("ccache") else []) + words


def build(*words):
    result = subprocess.run(compiler() + FLAGS + [str(word) for word in words], cwd=TOP, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise CompileError(result.stdout[:3000])


def build_all(commands):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda words: build(*words), commands))


def emulator(root, folder):
    """libkfdemulator.so, against the kernel's own header."""
    folder.mkdir(parents=True, exist_ok=True)
    headers = packages.kernel_headers(root, folder / "include")
    sources = sorted((HERE / "driver").glob("*.cpp"))
    objects = [folder / (source.stem + ".o") for source in sources]
    build_all([["-fPIC", "-fvisibility=hidden", "-isystem", headers, "-c", source, "-o", made]
               for source, made in zip(sources, objects)])
    library = folder / "libkfdemulator.so"
    build("-shared", "-o", library, *objects, "-ldl", "-pthread")
    build("-isystem", headers, HERE / "programs/driver_check.cpp", "-o", folder / "driver_check", "-pthread")
    return library


def declarations(root, folder, api):
    """Compares our declarations with the version's headers. The number that was compared."""
    folder.mkdir(parents=True, exist_ok=True)
    compared = folder / "declarations.inc"
    header = root / "usr/include/hip/hip_runtime_api.h"
    shim = TOP / "tests/platform/hip/shim"
    subprocess.run(["python3", "-B", shim / "declarations.py", TOP / "api/hip.json", compared, header], check=True)
    build("-fsyntax-only", "-D__HIP_PLATFORM_AMD__", "-I", TOP / "src", "-I", TOP / "tests", "-I", api, "-I", folder,
          "-isystem", root / "usr/include", shim / "declarations_test.cpp")
    return compared.read_text().count("CHECK(") - 1


def programs(root, folder):
    """The programs, linked to the version's libraries."""
    folder.mkdir(parents=True, exist_ok=True)
    common = ["-D__HIP_PLATFORM_AMD__", "-isystem", root / "usr/include", "-L", root / LIBRARIES,
              "-Wl,--allow-shlib-undefined"]
    build_all([common + [HERE / f"programs/{name}.cpp", "-o", folder / name, "-Wl,--no-as-needed", *libraries,
                         "-pthread", "-ldl"]
               for name, libraries in (("hiprtc", ["-lamdhip64", "-lhiprtc"]),
                                       *((name, ["-lamdhip64"]) for name in ALONE))])
