#!/usr/bin/env python3
"""Runs a program, or xserver, whose n-th call of a kind fails (faults.cpp): for guests the real shim on a fake driver,
in the randomized order checker. Its results must be right, it must end and give back what it had, and at most one line
may say so.

  faults_test.py --build BUILD --of cuda|hip|opencl|server [--most N]

--most: at most so many n for each kind of call, spread over all; 0: each n, until a run is untouched.
"""

import argparse
import json
import mmap
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from script import eventually  # noqa: E402

CALLS = ["malloc", "mmap", "memfd_create", "socket", "eventfd", "futex", "pthread_create", "ioctl"]
PATIENCE_S = 60
COUNTS, CALLED, FAILED, DESCRIPTORS, THREADS = range(5)
# How many of a program's waits are tried in turn as the one that fails. There are thousands, and their number varies,
# so these are spread over all.
MOST_WAITS = 200
# How many threads may be left at the end: the agent's two threads may still be ending when the program ends.
THREADS_ON_THEIR_WAY = 2
WARNING = re.compile(r"^\[(WARN|ERRO) @ |terminate called|^xserver: ", re.MULTILINE)
GUESTS = {
    "cuda": {"program": "order_check_cuda", "shim": "shimcuda", "code": "libshimcuda libpreempt libhalcuda",
             "environment": {"XSCHED_CUDA_LIB": "fakecuda"}},
    "hip": {"program": "order_check_hip", "shim": "shimhip", "code": "libshimhip libpreempt libhalhip",
            "environment": {"XSCHED_HIP_LIB": "fakehip"}},
    "opencl": {"program": "order_check", "shim": "shimopencl", "code": "libshimopencl libpreempt libhalopencl",
               "environment": {"OCL_ICD_VENDORS": "fakeopencl"}, "fake": "fakeopencl"},
}


class Told:
    """The words that libfaults.so shares with us."""

    def __init__(self, folder, counts):
        self.path = folder / "told"
        self.path.write_bytes(bytes(20))
        with open(self.path, "r+b") as file:
            self.words = mmap.mmap(file.fileno(), 20)
        self.write(COUNTS, counts)

    def write(self, at, value):
        self.words[4 * at:4 * at + 4] = struct.pack("I", value)

    def __getitem__(self, at):
        return struct.unpack_from("I", self.words, 4 * at)[0]


def library(build, name):
    return str(build / "lib" / f"lib{name}.so")


class Rig:
    def __init__(self, build, folder):
        self.build = build
        self.folder = Path(folder)
        self.socket = str(self.folder / "x.sock")
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("XSCHED_", "XLOG_", "FAULT_", "LD_PRELOAD"))}
        self.environment.update(XSCHED_SOCKET=self.socket, XDG_RUNTIME_DIR=str(self.folder), XLOG_LEVEL="WARN")

    def start_server(self, more, errors):
        server = subprocess.Popen([self.build / "bin" / "xserver", "--socket", self.socket], stdout=subprocess.PIPE,
                                  stderr=errors, text=True, env={**self.environment, **more})
        line = server.stdout.readline()
        return server, "listening on" in line

    def ask(self, *words):
        done = subprocess.run([self.build / "bin" / "xcli", *words, "--json"], env=self.environment, text=True,
                              capture_output=True, timeout=PATIENCE_S)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def guest(self, of, more=None, operations=60):
        """(exit status, standard error) of the order checker under the shim; None: it did not end."""
        it = GUESTS[of]
        environment = {**self.environment, "XSCHED_SCHEDULER": "global", "LD_PRELOAD": library(self.build, it["shim"])}
        environment.update({name: library(self.build, value) for name, value in it["environment"].items()})
        for name, value in (more or {}).items():
            environment[name] = value if name != "LD_PRELOAD" else f"{value}:{environment[name]}"
        command = [self.build / "bin" / it["program"], "--ops", str(operations), "--seed", "1"]
        if "fake" in it:
            command += ["--fake", library(self.build, it["fake"])]
        with tempfile.TemporaryFile("w+") as errors:
            try:
                status = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=errors,
                                        timeout=PATIENCE_S, check=False).returncode
            except subprocess.TimeoutExpired:
                status = None
            errors.seek(0)
            return status, errors.read()


def faults(build, told, call, at, code):
    return {"LD_PRELOAD": library(build, "faults"), "FAULT_CALL": call, "FAULT_AT": str(at), "FAULT_IN": code,
            "FAULT_FILE": str(told.path)}


def complaints(text):
    """Returns the lines about a fault; the end of the fault is one more line."""
    return [line for line in text.splitlines() if WARNING.search(line) and "is scheduled from now on" not in line]


class Guests:
    """One server for all runs; each run is a program whose n-th call fails."""

    def __init__(self, build, of, folder):
        self.rig, self.of = Rig(build, folder), of
        self.errors = open(Path(folder) / "server.log", "w+")
        self.server, listening = self.rig.start_server({}, self.errors)
        if not listening:
            sys.exit("no server: " + (Path(folder) / "server.log").read_text())
        status, text = self.rig.guest(of)
        if status != 0 or complaints(text):
            sys.exit(f"it fails without a fault, too: {status}\n{text}")

    def run(self, call, at):
        """(what is wrong, calls, whether one failed, what it left at its end)"""
        with tempfile.TemporaryDirectory(dir=self.rig.folder) as folder:
            told = Told(Path(folder), 1)
            status, text = self.rig.guest(self.of, faults(self.rig.build, told, call, at, GUESTS[self.of]["code"]))
            wrong = []
            if status != 0:
                wrong.append(f"exit status {status}\n{text}")
            if len(complaints(text)) > 1:
                wrong.append("several lines: " + "\n".join(complaints(text)))
            return wrong, told[CALLED], told[FAILED], (told[DESCRIPTORS], told[THREADS])

    def end(self):
        wrong = []
        if not eventually(lambda: (self.rig.ask("status") or {}).get("processes") == [], PATIENCE_S):
            wrong.append(f"the server still has clients: {self.rig.ask('status')}")
        self.server.send_signal(signal.SIGTERM)
        if self.server.wait(PATIENCE_S) != 0:
            wrong.append(f"the server ended with {self.server.returncode}")
        self.errors.seek(0)
        return wrong + complaints(self.errors.read())


class Servers:
    """A server for each run, whose n-th call fails at its start or, at="serving", once it serves."""

    CODE = "- libstdc++"

    def __init__(self, build, folder, serving):
        self.build, self.folder, self.serving = build, Path(folder), serving

    def run(self, call, at):
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            rig, told = Rig(self.build, folder), Told(Path(folder), 0 if self.serving else 1)
            errors = open(Path(folder) / "server.log", "w+")
            server, listening = rig.start_server(faults(self.build, told, call, at, self.CODE), errors)
            told.write(COUNTS, 1)
            wrong, left = [], (0, 0)
            if listening:
                wrong, left = self.use(rig)
                server.send_signal(signal.SIGTERM)
            try:
                server.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                wrong.append("the server does not end")
                server.kill()
                server.wait()
            errors.seek(0)
            said = complaints(errors.read())
            if server.returncode not in ((0,) if listening else (1, 2)):
                wrong.append(f"the server ended with {server.returncode}")
            if len(said) > 1 or (not listening and not said):
                wrong.append(f"{len(said)} lines: {said}")
            return wrong, told[CALLED], told[FAILED], left

    @staticmethod
    def use(rig):
        wrong = []
        status, text = rig.guest("cuda")
        if status != 0:
            wrong.append(f"a program ended with {status}\n{text}")
        if not eventually(lambda: (rig.ask("status") or {}).get("processes") == [], PATIENCE_S):
            wrong.append("the server keeps a program that has ended")
        pid = (rig.ask("status", "--server") or {}).get("pid")
        count = lambda what: len(os.listdir(f"/proc/{pid}/{what}"))  # noqa: E731
        return wrong, (count("fd"), count("task")) if pid else (0, 0)


def numbers(calls, most):
    if calls <= most:
        return list(range(1, calls + 1))
    return sorted({1 + round(i * (calls - 1) / max(most - 1, 1)) for i in range(most)})


def try_all(runs, call, most, workers):
    """How many runs a fault has met, and what went wrong."""
    untouched = [runs.run(call, 0) for _ in range(2)]
    wrong = [f"{call} 0: {it}" for found in untouched for it in found[0]]
    calls = max(found[1] for found in untouched)
    usual = [max(found[3][i] for found in untouched) for i in range(2)]
    usual[1] += THREADS_ON_THEIR_WAY
    met = 0

    def look(at, found):
        nonlocal met
        met += found[2]
        wrong.extend(f"{call} {at}: {it}" for it in found[0])
        for kind, now, before in zip(("descriptors", "threads"), found[3], usual):
            if now > before:
                wrong.append(f"{call} {at}: {now} {kind} at the end, and {before} without a fault")

    with ThreadPoolExecutor(workers) as pool:
        few = most or (MOST_WAITS if call == "futex" else 0)
        chosen = numbers(calls, few) if few else list(range(1, calls + 1))
        for at, found in zip(chosen, pool.map(lambda at: runs.run(call, at), chosen)):
            look(at, found)
    for at in range(calls + 1, calls + 1000) if not few else ():
        found = runs.run(call, at)
        look(at, found)
        if not found[2]:
            break
    print(f"{call}: {calls} calls, {met} failed, {len(wrong)} wrong", flush=True)
    return met, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--of", required=True, choices=[*GUESTS, "server"])
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--calls", nargs="*", default=CALLS)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    met, wrong = 0, []
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        if given.of == "server":
            kinds = [Servers(given.build, folder, serving) for serving in (False, True)]
        else:
            kinds = [Guests(given.build, given.of, folder)]
        for runs in kinds:
            for call in given.calls:
                more_met, more_wrong = try_all(runs, call, given.most, given.workers)
                met += more_met
                wrong += more_wrong
        if given.of != "server":
            wrong += kinds[0].end()
    print(f"{met} calls failed, {len(wrong)} runs went wrong")
    for it in wrong[:20]:
        print(it)
    if not met:
        print("no call failed: is libfaults.so in front of the C library?")
    return 0 if met and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
