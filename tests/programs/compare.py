#!/usr/bin/env python3
"""Runs a program as it is and with a library of ours preloaded, or under xcli run: both must behave the same.

  compare.py --library LIB [options] -- program arguments...
  compare.py --library LIB --xcli XCLI [options] -- program arguments...

The same exit status; the same standard output (or only the lines that match --output, or, with --any-output,
something at all); on standard error nothing more than log lines in our format. Prints "skipped: reason" and ends with
77 if the program is not installed, or needs an OpenCL device or a user's name where there is none.
"""

import argparse
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
PRELOAD = Path(__file__).resolve().parent.parent / "preload"
LOG_LINE = re.compile(r"^\[(DEBG|INFO|WARN|ERRO) @ T\d+ @ \d\d:\d\d:\d\d\.\d{6}\] ")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def has_name():
    try:
        return bool(pwd.getpwuid(os.getuid()))
    except KeyError:
        return False


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="what is preloaded")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for each run")
    parser.add_argument("--output", help="compare only lines of standard output that match this")
    parser.add_argument("--any-output", action="store_true", help="numbers differ from run to run: do not compare")
    parser.add_argument("--expect", help="what standard output must match, with and without the library")
    parser.add_argument("--layer", action="store_true",
                        help="also name the library in OPENCL_LAYERS, as xcli run does: for programs that look the "
                             "OpenCL functions up in libOpenCL themselves")
    parser.add_argument("--xcli", help="run it under this xcli, not with the library preloaded")
    parser.add_argument("--log", help="what our log must contain; or 'none'")
    parser.add_argument("--ignore-errors", action="store_true", help="the program's own standard error varies")
    parser.add_argument("--device", action="store_true", help="skip without an OpenCL device")
    parser.add_argument("--known-user", action="store_true", help="skip where /etc/passwd does not know the user")
    parser.add_argument("--module", action="append", default=[], help="skip if python3 lacks this module")
    parser.add_argument("--warm-up", action="store_true",
                        help="run both once before, with an empty kernel cache of their own: PoCL writes its "
                             "compiler's warnings to standard error only when it compiles")
    parser.add_argument("--home", help="a home directory of its own for the program")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def has_device():
    query = "import ctypes;n=ctypes.c_uint(0);ctypes.CDLL('libOpenCL.so.1').clGetPlatformIDs(0,None,ctypes.byref(n))"
    done = subprocess.run([sys.executable, "-c", query + ";raise SystemExit(0 if n.value else 1)"],
                          stderr=subprocess.DEVNULL, timeout=60, check=False)
    return done.returncode == 0


def run(command, arguments, environment):
    try:
        return subprocess.run(command, env=environment, text=True, errors="replace", capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=arguments.timeout, check=False)
    except subprocess.TimeoutExpired as late:
        text = late.stdout.decode(errors="replace") if late.stdout else ""
        sys.exit(f"FAILED: {' '.join(command)} did not end within {arguments.timeout:g} s; it printed:\n{text}")


def run_both(arguments, environment):
    """The program as it is, and with the library."""
    layered = dict(environment, OPENCL_LAYERS=arguments.library) if arguments.layer else environment
    before = [arguments.xcli, "run", "--scheduler", "local", "--"] if arguments.xcli else [PRELOAD, arguments.library]
    return (run(arguments.command, arguments, environment),
            run([*map(str, before), *arguments.command], arguments, layered))


def lines_of(text, pattern):
    lines = text.splitlines()
    return [line for line in lines if re.search(pattern, line)] if pattern else lines


def differences(plain, ours, arguments):
    found = []
    if plain.returncode != ours.returncode:
        found.append(f"exit status {ours.returncode}, without the library {plain.returncode}")
    if LOG_LINE.search(ours.stdout):
        found.append("a log line on standard output")
    if arguments.expect:
        for name, done in (("without", plain), ("with", ours)):
            if not re.search(arguments.expect, done.stdout, re.MULTILINE):
                found.append(f"standard output {name} the library does not match {arguments.expect!r}")
    if not arguments.any_output:
        before, after = lines_of(plain.stdout, arguments.output), lines_of(ours.stdout, arguments.output)
        if before != after:
            odd = [f"    - {line}" for line in before if line not in after][:10]
            odd += [f"    + {line}" for line in after if line not in before][:10]
            found.append("standard output differs:\n" + "\n".join(odd))
    log = [line for line in ours.stderr.splitlines() if LOG_LINE.match(line)]
    if arguments.log == "none" and log:
        found.append("log lines though no accelerator was used:\n" + "\n".join(f"    {line}" for line in log[:10]))
    elif arguments.log not in (None, "none") and not any(re.search(arguments.log, line) for line in log):
        found.append(f"no line of the log matches {arguments.log!r}: did the library do anything?")
    errors = [line for line in ours.stderr.splitlines() if not LOG_LINE.match(line)]
    if not arguments.ignore_errors and errors != plain.stderr.splitlines():
        found.append("standard error differs:\n" + "\n".join(f"    {line}" for line in errors[:10]))
    return found


def main():
    arguments = parse()
    if shutil.which(arguments.command[0]) is None:
        skip(f"{arguments.command[0]} is not installed")
    for module in arguments.module:
        if subprocess.run([arguments.command[0], "-c", f"import {module}"], capture_output=True,
                          check=False).returncode != 0:
            skip(f"{arguments.command[0]} has no module {module}")
    if arguments.known_user and not has_name():
        skip(f"{arguments.command[0]} does nothing for a user that /etc/passwd does not know")
    if arguments.device and not has_device():
        skip("there is no OpenCL platform")
    name = Path(arguments.library).name
    maps = subprocess.run([str(PRELOAD), arguments.library, "grep", "-c", name, "/proc/self/maps"],
                          capture_output=True, check=False)
    if maps.returncode != 0:
        sys.exit(f"FAILED: {arguments.library} cannot be preloaded: {maps.stderr.decode(errors='replace')}")
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    if arguments.home:
        Path(arguments.home).mkdir(parents=True, exist_ok=True)
        environment["HOME"] = arguments.home
        environment["XDG_DATA_HOME"] = environment["XDG_CACHE_HOME"] = arguments.home
    with tempfile.TemporaryDirectory() as cache:
        if arguments.warm_up:
            environment["POCL_CACHE_DIR"] = cache
            run_both(arguments, environment)
        plain, ours = run_both(arguments, environment)
    found = differences(plain, ours, arguments)
    if not found:
        print(f"the same with and without {Path(arguments.library).name}: exit status {plain.returncode}, "
              f"{len(plain.stdout.splitlines())} lines")
        return
    print(f"FAILED: {' '.join(arguments.command)} behaves otherwise with {arguments.library}:")
    for one in found:
        print(f"  {one}")
    print("--- its standard error with the library (end):\n" + "\n".join(ours.stderr.splitlines()[-20:]))
    sys.exit(1)


if __name__ == "__main__":
    main()
