#!/usr/bin/env python3
"""XSched with AMD's real runtimes, 6.4 and 7.2, on an emulated kernel driver: no GPU is needed.

    tests/real_rocm/run.py --build build/dev                    all checks, with both versions
    tests/real_rocm/run.py --build build/dev --version 7 levels faults

The runtimes are Debian's packages (packages.py), in a root folder for each version (build/real-rocm). Their kernel
driver is driver/, which runs kernels by their names; no instruction of a GPU is executed. This can show the runtimes'
own behaviour: symbols, locks, streams and their queues, packets, the calls that they make to the driver. It cannot show
anything of the hardware's and its firmware's, and no time is worth comparing.

Closes with one line, N passed, N failed. A version whose packages cannot be had is skipped, with the reason. Exit
status 1 if anything failed; 77, with the reason, if nothing could run.
"""
import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import bundle  # noqa: E402
import checks  # noqa: E402
import demands  # noqa: E402
import documents  # noqa: E402
import packages  # noqa: E402
import programs  # noqa: E402
import room  # noqa: E402
import topology  # noqa: E402

TOP = HERE.parents[1]
SKIPPED = 77


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="*", metavar="CHECK",
                        help=f"of {', '.join(checks.ALL)} (all); and {', '.join(checks.MORE)}")
    parser.add_argument("--build", type=Path, default=TOP / "build/dev", help="a build with libshimhip.so and xserver")
    parser.add_argument("--version", choices=[version.name for version in packages.VERSIONS], help="only this one")
    parser.add_argument("--times", type=int, default=200, help="preemptions for each way, in the check of that name")
    options = parser.parse_args()
    unknown = set(options.checks) - set(checks.ALL + checks.MORE)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: no such check")
    return options


def say_skipped(what, reason):
    print(f"skipped: {what}: {reason}", flush=True)


def furnish(version, root, emulator):
    """All that the checks need in the root folder."""
    programs.programs(root, root / "programs")
    documents.copy(root)
    topology.put_kernel(root, 1)
    for file in (emulator, emulator.with_name("driver_check")):
        shutil.copy(file, root / "programs")


def prepare(version, folder, build, times):
    root = folder / version.name
    packages.lay(version, root)
    emulator = programs.emulator(root, folder / "driver")
    furnish(version, root, emulator)
    made = room.Room(root, build, f"/programs/{emulator.name}")
    compiled = made.run(["/programs/hiprtc", checks.CODE])
    if compiled.status != 0:
        raise demands.Failed(f"the kernels could not be compiled: {compiled.how}: {compiled.output[-1500:]}")
    code = root / checks.CODE.lstrip("/")
    code.with_name(f"{code.name}.bundle").write_bytes(bundle.bundle(code.read_bytes()))
    return checks.Checks(version, root, folder, made, TOP, times)


def run_checks(version, options):
    """(passed, failed)"""
    passed = failed = 0
    try:
        tried = prepare(version, TOP / "build/real-rocm", options.build.resolve(), options.times)
    except (demands.Failed, programs.CompileError, subprocess.CalledProcessError) as error:
        print(f"{version.runtime}: FAILED to prepare: {error}", flush=True)
        return 0, 1
    for name in options.checks or checks.ALL:
        began = time.monotonic()
        try:
            said = getattr(tried, name)()
            passed += 1
        except demands.Skipped as reason:
            say_skipped(f"{version.runtime} {name}", reason)
            continue
        except (demands.Failed, programs.CompileError) as error:
            said = f"FAILED: {error}"
            failed += 1
        print(f"{version.runtime} {name}: {said} ({time.monotonic() - began:.0f} s)", flush=True)
    return passed, failed


def main():
    options = parse_options()
    if reason := room.reason_against():
        say_skipped("AMD's real runtimes", reason)
        sys.exit(SKIPPED)
    passed = failed = 0
    for version in packages.VERSIONS:
        if options.version not in (None, version.name):
            continue
        try:
            packages.fetch(version)
        except packages.Unavailable as reason:
            say_skipped(f"AMD's runtime {version.runtime}", reason)
            continue
        counts = run_checks(version, options)
        passed, failed = passed + counts[0], failed + counts[1]
    print(f"AMD's real runtimes: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0 if passed else SKIPPED)


if __name__ == "__main__":
    main()
