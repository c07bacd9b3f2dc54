#!/usr/bin/python3
"""Builds and tests one or more presets and closes with one line for all of them.

    scripts/run_tests.py dev asan:core tsan:core

PRESET is the tests of a CMake preset without the long ones (label long: the same checks as others, repeated more
often; label roots: in other systems, which are fetched first); PRESET:all is all of them; PRESET:LABEL the tests
with that label (core: the rooms' own tests, on fake hardware;
lint). Everything is built before anything is run. GoogleTest programs count by their test cases, other
tests as one. A skipped test is listed with its reason and never counts as passed. Up to five tests that fail run once
more, alone; one that passes then is counted and listed as "passed only alone". Exit status 1 if anything failed or
nothing ran.
"""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST_OUTPUT = 4_000_000  # bytes kept of one test's output; the counts are read from it
SLOTS_PER_JOB = 2  # a test takes two, one if it mostly sleeps (cmake/tests.cmake)
LONG = ("long", "roots")
MOST_AGAIN = 5  # more failures than this are no busy machine, and would take long one by one


class Counts:
    def __init__(self):
        self.passed, self.failed, self.skipped, self.only_alone = 0, [], [], []

    def add_case(self, case):
        """One <testcase> of ctest's JUnit file."""
        name, output = case.get("name"), case.findtext("system-out") or ""
        status = case.get("status")
        if status in ("notrun", "disabled"):
            reason = next((line for line in output.splitlines() if line.startswith("skipped: ")), None)
            skipped = case.find("skipped")
            said = skipped.get("message") if skipped is not None else ""
            if reason or "SKIP" in (said or ""):
                self.skipped.append((name, (reason or "skipped: no reason given")[len("skipped: "):]))
            else:
                self.failed.append(f"{name} (could not be run: {said or status})")
            return
        summary = googletest_summary(output)
        if summary is None:
            if status == "run":
                self.passed += 1
            else:
                self.failed.append(name)
            return
        passed, failed, skipped = summary
        self.passed += passed
        self.failed += [f"{name}: {test}" for test in failed]
        self.skipped += [(f"{name}: {test}", reason) for test, reason in skipped]
        if status != "run" and not failed:
            self.failed.append(f"{name} (ended badly: see its output)")


def googletest_summary(output):
    """(number passed, [failed], [(skipped, reason)]) of a GoogleTest program's output; None if it is none's."""
    if not re.search(r"^\[==========\] Running \d+ test", output, re.M):
        return None
    passed = len(re.findall(r"^\[       OK \] ", output, re.M))
    failed = re.findall(r"^\[  FAILED  \] (\S+?),? .*\(\d+ ms\)$", output, re.M)
    skipped = []
    for test in re.findall(r"^\[  SKIPPED \] (\S+) \(\d+ ms\)$", output, re.M):
        said = re.search(r"^\[ RUN      \] " + re.escape(test) + r"\n.*?: Skipped\n(.*?)\n\[", output, re.M | re.S)
        skipped.append((test, said.group(1).strip().replace("\n", " ") if said else "no reason given"))
    return passed, failed, skipped


def build(preset, label, jobs):
    began = time.monotonic()
    command = ["cmake", "--build", "build/" + preset, "-j", str(jobs)]
    if label not in ("", "all"):
        command += ["--target", "tests_" + label]
    run(["cmake", "--preset", preset, "--log-level=WARNING"], quiet=True)
    run(command, quiet=True)
    print(f"built {preset}{':' + label if label else ''} in {time.monotonic() - began:.0f} s", flush=True)


def processor_seconds():
    """Returns the processor time of the commands up to now, without processes for which they did not wait."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, quiet):
    result = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE if quiet else None,
                            stderr=subprocess.STDOUT if quiet else None)
    if result.returncode != 0:
        print(result.stdout or "", end="")
        print(f"failed: {' '.join(command)}")
        sys.exit(1)


def selection(label):
    """Returns the arguments of ctest: the long tests only by their own label, or with all."""
    if label == "all":
        return []
    if label in LONG:
        return ["-L", f"^{label}$"]
    return (["-L", f"^{label}$"] if label else []) + ["-LE", f"^({'|'.join(LONG)})$"]


def test(preset, label, jobs, counts):
    """Runs them side by side. A test that fails runs once more, alone: this tells a fault from a machine that is too
    busy."""
    before = len(counts.failed)
    ended, cases = ctest(preset, jobs * SLOTS_PER_JOB, selection(label))
    failed = [case for case in cases if case_failed(case)]
    if 0 < len(failed) <= MOST_AGAIN:
        print(f"once more, alone: {' '.join(case.get('name') for case in failed)}", flush=True)
        ended, again = ctest(preset, 1, ["--rerun-failed"])
        second = {case.get("name"): case for case in again}
        counts.only_alone += [case.get("name") for case in failed
                              if case.get("name") in second and not case_failed(second[case.get("name")])]
        cases = [second.get(case.get("name"), case) for case in cases]
    for case in cases:
        counts.add_case(case)
    if ended != 0 and len(counts.failed) == before:
        counts.failed.append(f"ctest of {preset} (exit status {ended}, {len(cases)} tests reported)")


def case_failed(case):
    counts = Counts()
    counts.add_case(case)
    return bool(counts.failed)


def ctest(preset, slots, which):
    """(exit status, the <testcase> elements of its report)"""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "junit.xml"
        command = ["ctest", "--test-dir", "build/" + preset, "--output-on-failure", "-j", str(slots),
                   "--output-junit", str(report), "--test-output-size-passed", str(LONGEST_OUTPUT),
                   "--test-output-size-failed", str(LONGEST_OUTPUT), "--no-tests=error"]
        ended = subprocess.run(command + which, cwd=ROOT).returncode
        return ended, list(xml.parse(report).getroot().iter("testcase")) if report.exists() else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="PRESET[:LABEL]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    runs = [tuple((entry + ":").split(":")[:2]) for entry in arguments.runs]
    for preset, label in runs:
        build(preset, label, arguments.jobs)
    built_s = processor_seconds()
    counts = Counts()
    for preset, label in runs:
        test(preset, label, arguments.jobs, counts)
    print(f"processor seconds: {built_s:.0f} to build, {processor_seconds() - built_s:.0f} to test")
    for name, reason in counts.skipped:
        print(f"skipped: {name}: {reason}")
    for name in counts.only_alone:
        print(f"passed only alone: {name}: it failed beside other tests")
    for name in counts.failed:
        print(f"failed: {name}")
    print(f"{counts.passed} passed, {len(counts.failed)} failed, {len(counts.skipped)} skipped")
    return 1 if counts.failed or counts.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
