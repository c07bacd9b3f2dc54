#!/usr/bin/env python3
"""Limits of programs that people know (examples/programs): a training's steps a second and what `xcli list` says that
it gets, with limits of its own and of its user, alone and beside others, in turns in one run.

    program_limits.py --build DIR --out FILE [--rounds 3] [--seconds 6] [--programs FOLDER]

Each program is started once, under XSched, and measures when it is told to. A row has the median, the least and the
most of its rounds. Exit status 1: a program failed."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import programs as known

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib import peers, programs, report  # noqa: E402

TRAINING, SERVER, OTHER = "lora_training", "llm_server", "embeddings"
NONE = 100  # percent: no limit
SETTLE_SECONDS = 1.5  # after a change, before a measurement: several periods of the limits' allowances
# Policy, limit of the first program, limit of all programs of the user, and what works.
SCENES = [("HPF", own, NONE, (TRAINING,)) for own in (NONE, 10, 30, 60)] + [
    ("HPF", NONE, NONE, (SERVER,)), ("HPF", 10, NONE, (SERVER,)),
    ("PUP", 30, NONE, (TRAINING,)), ("HPF", 30, 60, (TRAINING,)), ("HPF", NONE, 60, (TRAINING,)),
    ("HPF", NONE, NONE, (TRAINING, OTHER)), ("HPF", 20, 60, (TRAINING, OTHER)),
    ("AUTO", NONE, NONE, (TRAINING, SERVER)), ("AUTO", 30, NONE, (TRAINING, SERVER))]


class Bench:
    def __init__(self, session, options):
        self.session, self.options, self.user = session, options, os.getuid()
        way = next(it for it in peers.all_peers() if it.name == "xsched")
        self.programs = {name: known.Program(name, way, "lp", session, options.programs)
                         for name in (TRAINING, OTHER, SERVER)}
        for program in self.programs.values():
            while program.line(known.LOAD_SECONDS) != "ready":
                pass

    def xcli(self, *words):
        command = [self.session.build / "bin" / "xcli", *map(str, words)]
        return subprocess.run(command, env=self.session.environment, text=True, timeout=30, check=True,
                              capture_output=True).stdout

    def got(self, name):
        """The program's part of the device in the last second, in percent."""
        pid = self.programs[name].process.pid
        parts = [queue["got_percent"][0] for queue in json.loads(self.xcli("list", "--json"))["queues"]
                 if queue["pid"] == pid and queue["got_percent"]]
        return max((part for part in parts if part is not None), default=0)

    def measure(self, policy, own, of_user, names):
        limited = self.programs[names[0]]
        self.xcli("policy", policy)
        for program in self.programs.values():
            self.xcli("hint", program.process.pid, "--limit", own if program is limited else NONE)
        self.xcli("limit", f"{self.user}:device-limit={of_user}")
        seconds = SETTLE_SECONDS + self.options.seconds
        for name in names[1:]:
            self.programs[name].begin(seconds)
        limited.begin(SETTLE_SECONDS)
        limited.answer(SETTLE_SECONDS)
        limited.begin(self.options.seconds)
        end, seen = time.monotonic() + self.options.seconds, {name: [] for name in names}
        while (left := end - time.monotonic()) > 1.2:
            time.sleep(1.0)
            for name in names:
                seen[name].append(self.got(name))
        found = {names[0]: limited.answer(max(left, 0) + seconds)}
        found |= {name: self.programs[name].answer(seconds) for name in names[1:]}
        return {name: told | {"got_percent": round(statistics.mean(seen[name]), 1)} for name, told in found.items()}


def spread(rounds):
    """The median, the least and the most of each number of the rounds."""
    if isinstance(rounds[0], dict):
        return {key: spread([one[key] for one in rounds]) for key in rounds[0]}
    return {"median": round(statistics.median(rounds), 3), "least": min(rounds), "most": max(rounds)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--programs", type=Path, default=report.ROOT / "examples" / "programs")
    options = parser.parse_args()
    rounds = []
    with programs.Session(options.build) as session:
        session.environment |= {"BENCH_BUILD": str(session.build), "BENCH_PLATFORM": "cuda",
                                "BENCH_FOLDER": str(session.folder)}
        try:
            bench = Bench(session, options)
            for number in range(options.rounds):
                scenes = list(enumerate(SCENES))
                found = {at: bench.measure(*scene) for at, scene in scenes[::1 if number % 2 == 0 else -1]}
                rounds.append([found[at] for at in range(len(SCENES))])
                print(json.dumps(rounds[-1]), flush=True)
        except (programs.ProgramFailed, subprocess.SubprocessError, ValueError, OSError) as error:
            print(f"program_limits: {error}\n{session.logs()}", flush=True)
    rows = [{"policy": policy, "limit": own, "limit_of_user": of_user, **spread([one[at] for one in rounds])}
            for at, (policy, own, of_user, _) in enumerate(SCENES) if rounds]
    result = report.on_nvidia() | {"processors": os.cpu_count(), "rounds": len(rounds), "seconds": options.seconds,
                                   "rows": rows}
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    return 0 if len(rounds) == options.rounds else 1


if __name__ == "__main__":
    sys.exit(main())
