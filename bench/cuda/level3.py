#!/usr/bin/env python3
"""Tests level 3 on this machine's GPU from the ground up, so that one run shows each fault: the recorded calls of the
driver, the time to disable and enable channels, and whether results stay exact. Also the time until a victim is off
the device after a more urgent program became ready, and the state after a program was killed.

    level3.py --build DIR --results DIR [--budget SECONDS] [--only STEP,...] [--driver LIBCUDA]

Each step is bounded, prints what it found, and goes into DIR/cuda_level3.json. Exit status 1: a step found something
wrong. The steps: `record` `self` `nobody` `off` `kill` `silent` `storm`
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from level3_board import Board
from level3_storm import Storm

STEP_SECONDS = 80
MEMORY_FILES = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
INTERESTING = re.compile(r"^level3:|level 3|channels|timeslice|WARN|ERRO|does not answer|answers again|using global|"
                         r"lost")


class Check(Storm):
    def __init__(self, arguments, folder):
        self.build = Path(arguments.build).resolve()
        self.folder = Path(folder)
        self.driver = arguments.driver
        self.fake_rm = arguments.fake_rm
        self.processes = []
        self.number = 0
        self.preemptions = arguments.preemptions
        self.storm_kills, self.storm_seconds = arguments.storm_kills, arguments.storm_seconds
        self.problems = []
        self.socket = self.folder / "server" / "xserver.sock"  # in a folder that no other user may write to
        self.socket.parent.mkdir(mode=0o755)
        self.server = None

    # --- processes
    def environment(self, more):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("XSCHED_", "XLOG_")) and name != "LD_PRELOAD"}
        preload = [self.build / "lib" / "libshimcuda.so"]
        if self.fake_rm:
            preload.append(self.fake_rm)
            environment["FAKE_RM_DIR"] = str(self.folder)
        environment["LD_PRELOAD"] = ":".join(map(str, preload))
        environment["LD_LIBRARY_PATH"] = str(self.build / "lib")
        if self.driver:
            environment["XSCHED_CUDA_LIB"] = self.driver
        environment.update({"XSCHED_SOCKET": str(self.socket), "XLOG_LEVEL": "DEBG",
                            "XSCHED_INTERRUPT": "1"}, **more)
        return {name: value for name, value in environment.items() if value != ""}

    def start(self, mode, board, *words, **more):
        """level3 in that mode; `.log` and `.out` name its files."""
        self.number += 1
        name = self.folder / f"{self.number:02}_{mode}"
        user = more.pop("user", None)
        command = [str(self.build / "bench" / "cuda" / "level3"), mode, "--board", str(board.path), *map(str, words)]
        with open(f"{name}.log", "w") as log, open(f"{name}.out", "w") as out:
            process = subprocess.Popen(command, env=self.environment(more), stdout=out, stderr=log,
                                       user=user)
        process.log, process.out = Path(f"{name}.log"), Path(f"{name}.out")
        self.processes.append(process)
        return process

    def start_server(self):
        self.number += 1
        self.socket.unlink(missing_ok=True)
        log = self.folder / f"{self.number:02}_xserver.log"
        environment = self.environment({"LD_PRELOAD": str(self.fake_rm or "")})
        with open(log, "w") as file:
            self.server = subprocess.Popen([str(self.build / "bin" / "xserver"), "--no-supervise", "--socket",
                                            str(self.socket)],
                                           env=environment, stdout=file, stderr=file)
        self.server.log = log
        self.processes.append(self.server)
        deadline = time.monotonic() + 10
        while not self.socket.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        if not self.socket.exists():
            self.problem("xserver did not start: " + log.read_text(errors="replace")[-500:])

    def result(self, process, seconds=STEP_SECONDS):
        """Returns the output of a process; {} and a problem if it does not end or fails."""
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.problem(f"{process.args[1]} did not end within {seconds:.0f} s")
            self.show(process)
            process.kill()
            return {}
        try:
            found = json.loads(process.out.read_text())
        except json.JSONDecodeError:
            said = process.out.read_text()
            self.problem(f"{process.args[1]} ended with status {process.returncode} and said {said!r}")
            self.show(process)
            return {}
        if found.get("exact") is False:
            self.problem(f"{process.args[1]}: the final state is WRONG: {found}")
        return found

    def end_all(self):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
        self.processes, self.server = [], None

    # --- what is told
    def problem(self, text):
        print(f"  PROBLEM: {text}")
        self.problems.append(text)

    def expect(self, good, text):
        if good:
            print(f"  good: {text}")
        else:
            self.problem(f"not so: {text}")
        return bool(good)

    def show(self, process, most=25):
        lines = [line for line in process.log.read_text(errors="replace").splitlines() if INTERESTING.search(line)]
        print(f"  --- {process.log.name}: {len(lines)} lines of interest")
        for line in lines[:most] + (["..."] if len(lines) > most else []):
            print("  " + line[:230])

    def xcli(self, *words):
        ended = subprocess.run([str(self.build / "bin" / "xcli"), *words], env=self.environment({"LD_PRELOAD": ""}),
                               text=True, capture_output=True, timeout=5)
        print("  $ xcli " + " ".join(words))
        print("  " + (ended.stdout + ended.stderr).strip()[:1500].replace("\n", "\n  "))

    def new_board(self):
        self.number += 1
        return Board(self.folder / f"board{self.number}")

    def victim(self, board, kernel_ms, **more):
        process = self.start("victim", board, "--kernel-ms", kernel_ms, "--seconds", STEP_SECONDS, **more)
        deadline = time.monotonic() + 30
        while not board.ready() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        if not board.ready():
            self.problem("the victim did not get ready")
            self.show(process)
        return process

    # --- the steps
    def record(self):
        """Returns the facts in one program's recording, as the log tells it."""
        board = self.new_board()
        process = self.start("self", board, "--kernel-ms", 20, "--preemptions", 3, XSCHED_SCHEDULER="app")
        found = self.result(process)
        text = process.log.read_text(errors="replace")
        for line in (line for line in text.splitlines() if re.search(r"level 3|disabled in|enabled in", line)):
            print("  " + line[:230])
        recorded = re.search(r"level 3 through (\d+) channels in (\d+) groups \(timeslice (\d+) us\)(.*)", text)
        self.expect(recorded, "level 3 is offered")
        numbers = dict(zip(("channels", "groups", "timeslice_us"), map(int, recorded.groups()[:3]))) if recorded else {}
        if numbers:
            self.expect(numbers["timeslice_us"] > 0, f"the timeslice can be read: {numbers['timeslice_us']} us")
        else:
            self.show(process)
        return {**numbers, "process": recorded.group(4).strip(" ;") if recorded else None, "first_tries": found}

    def self_preemptions(self, user=None):
        results = {}
        for kernel_ms, count in ((0.3, 50), (50, self.preemptions)) if user is None else ((50, 60),):
            board = self.new_board()
            seconds = max(30, count // 100)
            process = self.start("self", board, "--kernel-ms", kernel_ms, "--preemptions", count, "--seconds", seconds,
                                 XSCHED_SCHEDULER="app", XLOG_LEVEL="INFO", user=user)
            found = results[f"kernels of {kernel_ms} ms"] = self.result(process, seconds + STEP_SECONDS)
            print(f"  kernels of {kernel_ms} ms: {json.dumps(found)}")
            if found and "error" not in found:
                self.expect(found["never_off"] == 0, "each suspension stopped the kernel")
                self.expect(found["moved_while_off"] == 0, "it stood until it was resumed")
                self.expect(found["never_on"] == 0, "each resume let it go on")
                self.expect(found["exact"], f"exact after {found['preemptions']} preemptions")
            else:
                self.show(process)
        return results

    def self(self):
        """A program that suspends itself at level 3: latencies of both calls, and exactness."""
        return self.self_preemptions()

    def nobody(self):
        """The same as a user without any rights."""
        if os.geteuid() != 0:
            return {"skipped": "not started by root: the step before was without rights already"}
        os.chmod(self.folder, 0o777)
        return self.self_preemptions(user=65534)

    def off(self):
        """Under xserver: how long after a more urgent program became ready the victim still ran."""
        self.start_server()
        results = {}
        board = self.new_board()
        alone = self.start("urgent", board, "--bursts", 80, "--alone", 1, XSCHED_SCHEDULER="app", XLOG_LEVEL="INFO")
        results["alone"] = self.result(alone)
        print(f"  burst alone: {json.dumps(results['alone'].get('burst_us'))}")
        for kernel_ms, sync_every in ((0.3, 0), (3, 0), (30, 5), (1000, 5), (30, 0)):
            board = self.new_board()
            victim = self.victim(board, kernel_ms)
            urgent = self.start("urgent", board, "--bursts", 120, "--seconds", 8, "--sync-every", sync_every,
                                XSCHED_AUTO_XQUEUE_PRIORITY="10")
            time.sleep(2)
            if kernel_ms == 30:
                self.xcli("status")
            found = self.result(urgent, 30)
            board.end()
            found["victim"] = self.result(victim, 30)
            urgent = f"synchronizes every {sync_every}" if sync_every else "streams"
            name = f"victim's kernels {kernel_ms} ms, urgent {urgent}"
            results[name] = found
            print(f"  {name}: off {json.dumps(found.get('off_after_us'))} burst {json.dumps(found.get('burst_us'))} "
                  f"back {json.dumps(found.get('back_after_us'))} never off {found.get('never_off')}; "
                  f"victim {json.dumps(found['victim'])}")
            if kernel_ms == 1000:
                self.show(victim, 14)
        self.show(self.server, 14)
        return results

    def standing(self):
        """A victim with a long kernel that stands because a hog is busy; (board, victim, hog)."""
        board = self.new_board()
        victim = self.victim(board, 2000)
        hog = self.start("hog", board, "--seconds", STEP_SECONDS, XSCHED_AUTO_XQUEUE_PRIORITY="10")
        stands = board.wait(False, 15)
        if not self.expect(stands is not None, "the victim's 2 s kernel stands while the hog works"):
            self.show(victim)
            self.show(hog)
            self.show(self.server)
        return board, victim, hog

    def goes_on(self, board, what, seconds=5):
        took = board.wait(True, seconds)
        self.expect(took is not None,
                    f"{what}: it goes on" + (f" after {took * 1e3:.1f} ms" if took is not None else ""))
        return took

    def kill(self):
        """kill -9 of each side while the victim stands."""
        results = {}
        self.start_server()
        board, victim, hog = self.standing()
        self.server.kill()
        results["server killed"] = self.goes_on(board, "server killed")
        self.show(victim, 8)
        self.end_all()
        self.start_server()
        board, victim, hog = self.standing()
        hog.kill()
        results["urgent killed"] = self.goes_on(board, "urgent one killed")
        self.end_all()
        self.start_server()
        board, victim, hog = self.standing()
        self.server.terminate()
        results["server told to end"] = self.goes_on(board, "server told to end")
        self.end_all()
        self.start_server()
        board, victim, hog = self.standing()
        before = self.memory_used()
        victim.kill()
        victim.wait()
        began = time.monotonic()
        while self.memory_used() == before is not None and time.monotonic() - began < 5:
            time.sleep(0.05)
        print(f"  victim killed: memory in use {before} -> {self.memory_used()} MiB "
              f"after {time.monotonic() - began:.2f} s")
        self.expect(hog.poll() is None, "the hog goes on after the victim was killed")
        fresh = self.new_board()
        again = self.victim(fresh, 5, XSCHED_SCHEDULER="app")
        results["fresh program after that"] = self.goes_on(fresh, "a fresh program runs")
        fresh.end()
        self.result(again, 20)
        return results

    def silent(self):
        """A victim that does not answer (SIGSTOP) is stopped by the server, and put back."""
        self.start_server()
        board = self.new_board()
        victim = self.victim(board, 2000)
        victim.send_signal(signal.SIGSTOP)
        hog = self.start("hog", board, "--seconds", 20, XSCHED_AUTO_XQUEUE_PRIORITY="10")
        stands = board.wait(False, 15)
        self.expect(stands is not None, "the server takes a stopped victim's kernel off the device")
        hog.kill()
        if self.fake_rm:  # the fake device's kernels stand with their process
            results = {}
        else:
            results = {"back by the server": self.goes_on(board, "the hog killed, the victim still stopped")}
        hog = self.start("hog", board, "--seconds", 20, XSCHED_AUTO_XQUEUE_PRIORITY="10")
        self.expect(board.wait(False, 15) is not None, "and takes it off again")
        self.server.kill()
        victim.send_signal(signal.SIGCONT)
        results["server killed, victim continued"] = self.goes_on(board, "server killed, victim continued: by itself")
        self.show(victim, 12)
        self.show(self.server, 20)
        return results

    def forget_ended(self):
        """Removes ended processes and their logs, which would fill the memory."""
        for process in [it for it in self.processes if it.poll() is not None]:
            for path in (process.log, getattr(process, "out", process.log)):
                path.unlink(missing_ok=True)
            self.processes.remove(process)

    @staticmethod
    def memory_used():
        try:
            return int(subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
                                      text=True,
                                      capture_output=True, timeout=5).stdout.split()[0])
        except (OSError, subprocess.TimeoutExpired, ValueError, IndexError):
            return None


STEPS = ("record", "self", "nobody", "off", "kill", "silent", "storm")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--results", required=True, type=Path)
    parser.add_argument("--budget", type=float, default=400)
    parser.add_argument("--only", default=",".join(STEPS))
    parser.add_argument("--preemptions", type=int, default=150, help="of a long kernel, in the step self")
    parser.add_argument("--storm-kills", type=int, default=1000)
    parser.add_argument("--storm-seconds", type=float, default=60)
    parser.add_argument("--driver", help="another libcuda than the machine's")
    parser.add_argument("--fake-rm", help="a fake of the kernel driver, for trying this without a GPU")
    arguments = parser.parse_args()
    began, report = time.monotonic(), {}
    # The folder is not on a disk: a driver may refuse to pin pages of a file that the kernel writes back.
    with tempfile.TemporaryDirectory(prefix="level3-", dir=MEMORY_FILES) as folder:
        os.chmod(folder, 0o755)
        check = Check(arguments, folder)
        for name in arguments.only.split(","):
            if time.monotonic() - began > arguments.budget:
                print(f"=== {name}: not run, no time left")
                continue
            step = getattr(check, name)
            print(f"=== {name} ({time.monotonic() - began:.0f} s gone): {step.__doc__ or ''}", flush=True)
            at, before = time.monotonic(), len(check.problems)
            try:
                report[name] = step()
            except Exception as error:  # the other steps may still tell something
                check.problem(f"{name}: {type(error).__name__}: {error}")
            finally:
                check.end_all()
            report.setdefault(name, {})["problems"] = check.problems[before:]
            report[name]["seconds"] = round(time.monotonic() - at, 1)
            arguments.results.mkdir(parents=True, exist_ok=True)
            (arguments.results / "cuda_level3.json").write_text(json.dumps(report, indent=1))
            sys.stdout.flush()
    print(f"=== {len(check.problems)} problems in {time.monotonic() - began:.0f} s")
    for text in check.problems:
        print("  " + text)
    sys.exit(1 if check.problems else 0)


if __name__ == "__main__":
    main()
