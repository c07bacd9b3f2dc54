#!/usr/bin/env python3
"""What XSched costs and does on a Vulkan device. At most a minute; prints one JSON object, and a table on stderr.

    measure.py [--build DIR]     DIR has bin/, lib/, share/ and bench/vulkan/vulkan_load

  cost     a submit, natively and under xcli run, in turns: the call, a submit with its wait, each of 200 in a row
  exact    2,000 commands of random steps against a sequential reference, alone and beside an urgent program
  desktop  60 frames a second of 9 ms, not under XSched as a compositor is not, beside a busy program of 20 ms commands:
           nothing, natively, with -p -5, and with --background
  served   the same frames under xcli run -p 5 beside the busy program under xcli run
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS, COST_S, DESKTOP_S, FRAME_MS, BUSY_MS = 3, 1.5, 4, 9, 20
START_S = 2  # until the busy program has its device and knows its commands' length
LIMITS_US = {"call_us": 1, "each_us": 2}
LONGEST_S = 60


class Bench:
    def __init__(self, build, folder):
        self.load, self.xcli = build / "bench/vulkan/vulkan_load", build / "bin/xcli"
        self.environment = os.environ | {"XSCHED_SOCKET": str(Path(folder) / "x.sock")}
        self.server = subprocess.Popen([build / "bin/xserver", "--socket", self.environment["XSCHED_SOCKET"]],
                                       env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        self.frame_rounds, self.busy_rounds = self.rounds(FRAME_MS), self.rounds(BUSY_MS)

    def start(self, how, *words):
        under = [] if how is None else [self.xcli, "run", *how, "--"]
        return subprocess.Popen([*under, self.load, *map(str, words)], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def result(self, program):
        out, errors = program.communicate(timeout=LONGEST_S)
        return json.loads(out) if program.returncode == 0 else {"failed": program.returncode, "says": errors[-300:]}

    def cost(self):
        runs = {"native": [], "xsched": []}
        for _ in range(ROUNDS):
            runs["native"].append(self.result(self.start(None, "cost", COST_S)))
            runs["xsched"].append(self.result(self.start([], "cost", COST_S)))
        answer = {how: {name: round(statistics.median(run[name] for run in found), 3)
                        for name in ("call_us", "call_p99_us", "alone_us", "each_us")} for how, found in runs.items()}
        answer["device"] = runs["native"][0]["device"]
        answer["added"] = {name: {"us": round(answer["xsched"][name] - answer["native"][name], 3), "limit_us": limit}
                           for name, limit in LIMITS_US.items()}
        return answer

    def exact(self):
        answer = {"alone": self.result(self.start([], "exact", 2000))}
        urgent = self.start(["-p", "5"], "busy", 3, 5)
        answer["beside an urgent one"] = self.result(self.start(["-p", "-5"], "exact", 2000))
        answer["the urgent one"] = self.result(urgent)
        return answer

    def rounds(self, ms):
        """Returns those of a command that takes so long alone. Beside another program it would find fewer."""
        return self.result(self.start(None, "rounds", ms))["rounds"]

    def frames(self, frames_how, busy_how):
        busy = None
        if busy_how != "nothing":
            busy = self.start(busy_how, "busy", DESKTOP_S + START_S + 1, BUSY_MS, self.busy_rounds)
            time.sleep(START_S)
        answer = {"frames": self.result(self.start(frames_how, "frames", DESKTOP_S, FRAME_MS, self.frame_rounds))}
        if busy is not None:
            answer["busy"] = self.result(busy)
        return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path(__file__).resolve().parents[2] / "build/dev")
    build = parser.parse_args().build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(build, folder)
        try:
            answer = {"cost": bench.cost(), "exact": bench.exact(), "desktop": {
                "busy alone": {"frames": "none", "busy": bench.result(bench.start(None, "busy", DESKTOP_S, BUSY_MS,
                                                                                  bench.busy_rounds))},
                "nothing": bench.frames(None, "nothing"), "native": bench.frames(None, None),
                "-p -5": bench.frames(None, ["-p", "-5"]), "--background": bench.frames(None, ["--background"])},
                "served": bench.frames(["-p", "5"], [])}
        finally:
            bench.server.terminate()
            bench.server.wait(LONGEST_S)
    print(json.dumps(answer, indent=2))
    for name, found in (answer["desktop"] | {"served": answer["served"]}).items():
        print(f"{name:14} {found['frames']}  {found.get('busy', '')}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
