#!/usr/bin/python3
"""xcli report as users call it, on the main job's programs: the page is there, every way was measured, failures are
said, and no process is left behind, nor is one by the demo. The measured numbers do not count: this machine may be
busy.

    own_report_test.py --build BUILD --programs FOLDER
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TIMEOUT_SECONDS = 90
ROOT = Path(__file__).resolve().parents[2]


def xcli(options, folder, *words, **more):
    return subprocess.run([options.build / "bin" / "xcli", "report", *words], cwd=folder, text=True,
                          capture_output=True, timeout=TIMEOUT_SECONDS, **more)


def left_behind(mark):
    """Processes with this word in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (path / "environ").read_bytes():
                found.append((path / "comm").read_text().strip())
        except OSError:
            pass
    return found


def page_and_numbers(options, folder):
    urgent = f"{options.programs}/hp --bursts 12 --kernel-ms 0.5 --burst-kernels 4 --pause-ms 20"
    other = f"{options.programs}/lp --seconds 600 --kernel-ms 2"
    ended = xcli(options, folder, "--urgent", urgent, "--background", other, "-t", "5s", "--rounds", "1",
                 "-o", "p.html", "--json")
    yield ended.returncode == 0, f"it ends with {ended.returncode}: {ended.stderr}"
    told = json.loads(ended.stdout)
    yield all(way["bursts"] > 3 for way in told["ways"]), f"bursts: {[way['bursts'] for way in told['ways']]}"
    yield all(way["other_keeps_by_round"] for way in told["ways"][1:]), "the other one's rate is missing"
    yield any("without XSched" in row["what"] for row in told["wall_s"]), "no wall time, though the urgent one ends"
    text = (folder / "p.html").read_text()
    yield told["verdict"].split("'")[0] in text and text.count("<svg") == 4, "the page lacks its verdict or a picture"


def beside_itself(options, folder):
    ended = xcli(options, folder, "-t", "3s", "--rounds", "1", "-o", "p.md", "--", options.programs / "hp", "--bursts",
                 "8", "--kernel-ms", "0.5", "--burst-kernels", "4", "--pause-ms", "20")
    yield ended.returncode == 0, f"it ends with {ended.returncode}: {ended.stderr}"
    yield "![" in (folder / "p.md").read_text() and (folder / "p-1.svg").exists(), "the text has no pictures"


def failures(options, folder):
    for command, status, words in ((["sh", "-c", "echo oh no; exit 3"], 1, "ended with status 3"),
                                   (["true"], 1, "saw no work"), (["/nowhere/at/all"], 1, "cannot be executed"),
                                   ([], 2, "say which program")):
        ended = xcli(options, folder, *(["--", *command] if command else []))
        yield ended.returncode == status and words in ended.stderr, f"{command}: {ended.returncode}, {ended.stderr}"
    ended = xcli(options, folder, "--json", "--", "true")
    told = json.loads(ended.stdout or "{}")
    yield not told.get("ok", True) and "saw no work" in told["error"] and told["status"] == 1, ended.stdout
    ended = xcli(options, folder, "-o", "p.pdf", "--", "true")
    yield ended.returncode == 2 and ".html or .md" in ended.stderr, ended.stderr
    ended = xcli(options, folder, "-o", "nowhere/p.html", "--", "true")
    yield ended.returncode == 1 and "cannot be written" in ended.stderr, ended.stderr


def interrupted(options, folder):
    """Ctrl-C: whatever the programs started is gone as well."""
    report = [options.build / "bin" / "xcli", "report", "--", "sh", "-c",
              f"setsid sleep 1000 & {options.programs}/lp --seconds 600 --kernel-ms 2"]
    demo = [sys.executable, "-B", ROOT / "bench" / "demo.py", "--build", options.build, "--rounds", "20"]
    for command, program in ((report, "lp"), (demo, "hp")):
        mark = f"own_report_test_{os.getpid()}_{program}"
        running = subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env={**os.environ, "MARK": mark})
        until = time.monotonic() + TIMEOUT_SECONDS
        while program not in left_behind(mark.encode()) and time.monotonic() < until:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=TIMEOUT_SECONDS)
        yield running.returncode == 130 and "every program was ended" in said, f"{running.returncode}: {said}"
        yield "Traceback" not in said, said
        yield not left_behind(mark.encode()), f"left behind: {left_behind(mark.encode())}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--programs", type=Path, required=True, help="with hp and lp")
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for part in (page_and_numbers, beside_itself, failures, interrupted):
            for right, words in part(options, Path(folder)):
                if not right:
                    print(f"{part.__name__}: {words}")
                    wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
