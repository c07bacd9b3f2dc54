#!/usr/bin/python3
"""Runs the fuzz targets of build/fuzz for a while each and closes with one line for all of them.

    scripts/run_fuzzers.py                            every target for 20 seconds
    scripts/run_fuzzers.py --seconds 600 slots http   these for ten minutes each

Each run begins with the seeds (tests/fuzz/corpus/TARGET) and with what earlier runs here have found worth keeping
(build/fuzz/corpus/TARGET). An input that ends a target badly, takes longer than 10 s or needs more than 2 GiB is a
finding: it is kept in build/fuzz/findings, and the command that repeats it is printed. Exit status 1 if there was any,
or if nothing ran. Log files are in build/fuzz/logs.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SLOWEST_INPUT_S = 10  # some thousand times what one takes
MOST_MIB = 2048
LONGEST_INPUT = 4096  # bytes; what is read here has no more, or no other structure beyond that
SYMBOLIZER = Path("/usr/lib/llvm-19/bin/llvm-symbolizer")  # scripts/install_deps.sh fuzz
GRACE_S = 120  # seeds are run first, and a machine may be busy
LINES_OF_A_FINDING = 40


def targets(build):
    return sorted(path.name[len("fuzz_"):] for path in (build / "bin").glob("fuzz_*") if os.access(path, os.X_OK))


def command(build, tests, target, seconds):
    corpus, findings = build / "corpus" / target, build / "findings"
    for folder in (corpus, findings, build / "logs"):
        folder.mkdir(parents=True, exist_ok=True)
    words = [str(build / "bin" / f"fuzz_{target}"), f"-max_total_time={seconds}", f"-timeout={SLOWEST_INPUT_S}",
             f"-rss_limit_mb={MOST_MIB}", f"-max_len={LONGEST_INPUT}", f"-artifact_prefix={findings}/{target}-",
             "-print_final_stats=1"]
    dictionary = tests / "dictionaries" / f"{target}.dict"
    if dictionary.exists():
        words.append(f"-dict={dictionary}")
    return words + [str(corpus), str(tests / "corpus" / target)]


def environment():
    symbolizer = {"ASAN_SYMBOLIZER_PATH": str(SYMBOLIZER)} if SYMBOLIZER.exists() else {}
    return os.environ | symbolizer | {"ASAN_OPTIONS": "detect_stack_use_after_return=1:detect_odr_violation=1",
                                      "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"}


class Run:
    def __init__(self, target, status, text, took_s):
        self.target, self.text, self.took_s = target, text, took_s
        self.runs = self.number(r"stat::number_of_executed_units:\s*(\d+)")
        self.covered = self.number(r".*cov: (\d+)")
        self.failed = status != 0 or not self.runs

    def number(self, pattern):
        found = re.findall(pattern, self.text)
        return int(found[-1]) if found else 0

    def tell(self, build):
        if not self.failed:
            print(f"{self.target}: {self.runs} inputs in {self.took_s:.0f} s, {self.covered} branches covered",
                  flush=True)
            return
        print(f"{self.target}: failed", flush=True)
        lines = self.text.splitlines()
        begin = next((at for at, line in enumerate(lines) if re.search(r"does not hold|ERROR:|runtime error:", line)),
                     max(len(lines) - LINES_OF_A_FINDING, 0))
        print("\n".join("    " + line for line in lines[begin:begin + LINES_OF_A_FINDING]))
        for path in re.findall(r"Test unit written to (\S+)", self.text):
            print(f"    again: {build}/bin/fuzz_{self.target} {path}", flush=True)


def run(build, tests, target, seconds):
    began = time.monotonic()
    log = build / "logs" / f"{target}.log"
    words = command(build, tests, target, seconds)
    with open(log, "wb") as output:
        try:
            status = subprocess.run(words, stdout=output, stderr=subprocess.STDOUT, env=environment(), cwd=ROOT,
                                    timeout=seconds + GRACE_S).returncode
        except subprocess.TimeoutExpired:
            status = 124
    text = log.read_bytes().decode(errors="replace")
    return Run(target, status, text, time.monotonic() - began)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: all")
    parser.add_argument("--seconds", type=int, default=20, help="for each target (default: 20)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="targets at a time")
    parser.add_argument("--build", type=Path, default=ROOT / "build/fuzz", help=argparse.SUPPRESS)
    parser.add_argument("--tests", type=Path, default=ROOT / "tests/fuzz", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    there = targets(arguments.build)
    unknown = [name for name in arguments.targets if name not in there]
    if unknown:
        sys.exit(f"there is no fuzz target {', '.join(unknown)}: there are {', '.join(there) or 'none (make fuzz)'}")
    chosen = arguments.targets or there
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = [pool.submit(run, arguments.build, arguments.tests, name, arguments.seconds) for name in chosen]
        runs = []
        for future in concurrent.futures.as_completed(waiting):
            runs.append(future.result())
            runs[-1].tell(arguments.build)
    failed = sum(each.failed for each in runs)
    print(f"{len(runs) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not runs else 0)


if __name__ == "__main__":
    main()
