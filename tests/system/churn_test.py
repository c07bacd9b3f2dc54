#!/usr/bin/env python3
"""Programs that come and go without rest, on the fake CUDA driver, while policies change and the server is killed.

    churn_test.py --build DIR [--seconds 10] [--programs 6] [--seed N]

Each program computes, and checks at its end that no kernel was lost, repeated or out of order. Some are killed, some
stopped for a while, all have random hints. No program may end wrongly or hang, and at the end the server has no client.
"""
import argparse
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LONGEST_S = 60  # for a program to begin or to end, on a busy machine
POLICIES = ("HPF", "PUP", "CFS", "UP", "SPUP", "AUTO", "MLFQ")


class Program:
    def __init__(self, churn, number):
        choose = churn.random
        hints = ["-p", str(choose.randint(-5, 5))] if choose.random() < 0.6 else []
        hints += ["--limit", str(choose.choice((10, 50, 90)))] if choose.random() < 0.2 else []
        hints += ["--share", str(choose.choice((10, 30)))] if choose.random() < 0.2 else []
        self.rows = churn.folder / f"{number % 32}.txt"
        self.errors = open(churn.folder / f"{number % 32}.log", "w")
        words = ["queues", str(self.rows), str(choose.randint(1, 3)), "4", str(choose.choice((10, 1000, 20000)))]
        self.process = subprocess.Popen([churn.xcli, "run", *hints, "--", str(churn.program), *words],
                                        env=churn.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                        stderr=self.errors)
        self.ends_at = time.monotonic() + choose.choice((0.05, 0.3, 1, 3)) * choose.random()
        self.way = choose.choices(("asked", "killed", "stopped first"), (6, 3, 1))[0]
        self.told_at = 0.0

    def tell(self):
        """Ends the process: its time is over."""
        self.told_at = time.monotonic()
        if self.way == "killed":
            self.process.kill()
        elif self.way == "stopped first":
            self.process.send_signal(signal.SIGSTOP)
            time.sleep(0.05)
            self.process.send_signal(signal.SIGCONT)
        if self.way != "killed":
            self.process.stdin.close()

    def verdict(self):
        """None: it goes on. Else how it ended; "wrong ..." if that is not right."""
        status = self.process.poll()
        if status is None and (self.told_at == 0 or time.monotonic() - self.told_at < LONGEST_S):
            return None
        self.errors.close()
        said = Path(self.errors.name).read_text()[-500:]
        if status is None:
            self.process.kill()
            self.process.wait()
            return f"wrong: it did not end within {LONGEST_S} s\n{said}"
        expected = -signal.SIGKILL if self.way == "killed" and self.told_at != 0 else 0
        return self.way if status == expected else f"wrong: it ended with {status} ({self.way})\n{said}"


class Churn:
    def __init__(self, options, folder):
        self.folder, self.random = Path(folder), random.Random(options.seed)
        self.xcli = str(options.build / "bin" / "xcli")
        self.xserver = str(options.build / "bin" / "xserver")
        self.program = options.build / "bench" / "cuda" / "neighbours"
        drivers = self.folder / "driver"
        drivers.mkdir()
        (drivers / "libcuda.so.1").symlink_to(options.build / "lib" / "libfakecuda.so")
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("XSCHED_", "XLOG_")) and name != "LD_PRELOAD"}
        self.environment |= {"XSCHED_SOCKET": str(self.folder / "x.sock"), "XLOG_LEVEL": "WARN",
                             "LD_LIBRARY_PATH": str(drivers)}
        self.counts = collections.Counter()
        self.wrong = []
        self.server = subprocess.Popen([self.xserver, "--socket", self.environment["XSCHED_SOCKET"]],
                                       env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, *words):
        return subprocess.run([self.xcli, *words], env=self.environment, capture_output=True, text=True,
                              timeout=LONGEST_S, check=False)

    def server_pid(self):
        """The server's own; its parent watches it."""
        done = self.ask("server", "--json")
        return json.loads(done.stdout).get("pid", 0) if done.returncode == 0 else 0

    def disturb(self):
        if self.random.random() < 0.8:
            self.counts["policies"] += self.ask("policy", self.random.choice(POLICIES)).returncode == 0
            return
        pid = self.server_pid()
        if pid > 0 and pid != self.server.pid:
            os.kill(pid, signal.SIGKILL)
            self.counts["servers killed"] += 1

    def run(self, seconds, most):
        programs, number, end = [], 0, time.monotonic() + seconds
        disturbs_at = time.monotonic() + 1
        while (time.monotonic() < end or programs) and len(self.wrong) < 5:
            now = time.monotonic()
            while now < end and len(programs) < most:
                programs.append(Program(self, number))
                number += 1
            if now >= disturbs_at and now < end:
                self.disturb()
                disturbs_at = now + 2
            for program in list(programs):
                if program.told_at == 0 and now >= program.ends_at:
                    program.tell()
                verdict = program.verdict()
                if verdict is None:
                    continue
                programs.remove(program)
                self.counts[verdict.split(":")[0]] += 1
                if verdict.startswith("wrong"):
                    self.wrong.append(verdict)
            time.sleep(0.01)
        for program in programs:
            program.process.kill()

    def left(self):
        """Returns the clients that the server still has when all have gone."""
        until = time.monotonic() + LONGEST_S
        while time.monotonic() < until:
            done = self.ask("list", "--json")
            if done.returncode == 0 and not json.loads(done.stdout)["queues"]:
                return ""
            time.sleep(0.2)
        return done.stdout + done.stderr

    def end(self):
        self.server.terminate()
        try:
            return self.server.wait(LONGEST_S)
        except subprocess.TimeoutExpired:
            self.server.kill()
            return "it does not end"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--programs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    options = parser.parse_args()
    options.build = options.build.resolve()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        churn = Churn(options, folder)
        try:
            churn.run(options.seconds, options.programs)
            left = churn.left() if not churn.wrong else ""
        finally:
            status = churn.end()
        print(", ".join(f"{name} {count}" for name, count in sorted(churn.counts.items())))
        for sentence in churn.wrong:
            print(sentence)
        if left:
            print(f"the server still lists:\n{left}")
        if status != 0:
            print(f"the server ended with {status}")
        return 1 if churn.wrong or left or status != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
