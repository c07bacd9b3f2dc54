#!/usr/bin/env python3
"""Compares the C interface with that of the last release: programs that were built with it must go on working.

  abi.py [check]                  compares include/ with the newest dump beside this file; status 1: programs that were
                                  built with that release may fail. Functions and enumerators may be added
  abi.py dump [--headers FOLDER]  prints a dump of include/, or of another release's; check takes --headers, too

A dump describes a library that has each function of the headers; abidw (Debian package abigail-tools) writes it. No
build of the tree is needed. `make deb` compares the symbols of the libraries with debian/libxsched1.symbols.
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADERS = HERE.parents[1] / "include"
PUBLIC = ("xsched/xsched.h", "xsched/hint.h", "xsched/cuda/hal.h", "xsched/hip/hal.h", "xsched/opencl/hal.h")


def run(*words):
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def must(*words):
    status, said = run(*words)
    if status != 0:
        sys.exit(f"abi.py: {words[0]} ended with {status}:\n{said}")
    return said


def library_of(headers, folder):
    """Compiles a library with an empty definition of each function that the headers declare."""
    present = [header for header in PUBLIC if (headers / header).exists()]
    source = folder / "interface.c"
    source.write_text("".join(f'#include "{header}"\n' for header in present))
    listed = folder / "prototypes"
    compiler = ("gcc", "-std=c2x", "-I", headers, "-g", "-O0", "-fPIC")
    must(*compiler, "-c", source, "-o", folder / "interface.o", "-aux-info", listed)
    declared = re.findall(rf"^/\* {re.escape(str(headers))}/\S+ \*/ extern (.*);", listed.read_text(), re.M)
    with source.open("a") as file:
        file.writelines(f"{prototype} {{ __builtin_trap(); }}\n" for prototype in sorted(set(declared)))
        # No declared function names the types of types.h, since values of these types are passed as numbers. So the
        # source gets a variable of each.
        types = re.findall(r"^} (\w+);", (headers / "xsched/types.h").read_text(), re.M)
        file.writelines(f"{name} type_{name};\n" for name in types)
    library = folder / "libxsched.so"
    must(*compiler, "-shared", source, "-o", library)
    return library


def dump_of(headers, folder):
    dump = folder / "dump"
    must("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--short-locs",
         library_of(headers, folder), "--out-file", dump)
    return dump


def newest_dump():
    """The dump of the last release, by its number."""
    def number(dump):
        return [int(part) for part in re.findall(r"\d+", dump.stem)]
    dumps = sorted(HERE.glob("*.abi"), key=number)
    return dumps[-1] if dumps else sys.exit(f"abi.py: {HERE} has no dump of a release")


def check(headers, folder):
    released = newest_dump()
    status, said = run("abidiff", "--no-added-syms", released, dump_of(headers, folder))
    if status == 0:
        print(f"the C interface is compatible with {released.stem}")
        return 0
    print(f"the C interface differs from {released.stem}; docs/RELEASING.md says what may change:\n{said}")
    return 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="?", choices=("check", "dump"), default="check")
    parser.add_argument("--headers", type=lambda path: Path(path).resolve(), default=HEADERS)
    given = parser.parse_args()
    if shutil.which("abidw") is None:
        print("skipped: abigail-tools is not installed (scripts/install_deps.sh test)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="xsched-abi-") as folder:
        if given.what == "check":
            sys.exit(check(given.headers, Path(folder)))
        print(dump_of(given.headers, Path(folder)).read_text(), end="")


if __name__ == "__main__":
    main()
