#!/usr/bin/env python3
"""The rights that NVIDIA's kernel driver leaves an ordinary user's process over channels of root's (docs/SECURITY.md):
switch them off by naming them in a list of its own, set their timeslices, or query them; the answer of each query for
own and for foreign clients, and how long it takes; and whether a client may choose its number.

    bench/cuda/foreign_channels.py --program FILE --out FILE [--rounds 10] [--device-name TEXT]

PROGRAM is bench_cuda_foreign_channels. It needs root, to have one process of root's and one of uid 65534. Each channel
that is switched off is switched on within 10 ms; timeslices are set to what they are. Exit status 1: a program failed,
or the victim's results are wrong.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib import report  # noqa: E402

ATTACKER, PATIENCE_S = 65534, 60
MEMORY_FILES = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # the driver registers no pages of a disk


class Program:
    """One of the two processes, with the numbers of its own in the kernel driver."""

    def __init__(self, options, board, busy, user):
        environment = {**os.environ, "CUDA_CACHE_DISABLE": "1"}
        command = [options.program, "--board", board, "--busy", str(int(busy)), "--seconds", "150"]
        more = {"user": user, "group": user, "extra_groups": []} if user else {}
        self.process = subprocess.Popen(command, env=environment, cwd="/", stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, **more)
        self.own = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a program ended with status {self.process.wait(PATIENCE_S)}")
        return json.loads(line)

    def order(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.read()

    def names(self):
        return self.own["client"], self.own["subdevice"], self.own["group"], self.own["channels"][0]

    def end(self):
        ended = self.order("end")
        self.process.wait(PATIENCE_S)
        return ended

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()


def measure(options, victim, attacker):
    """Root's program is the victim, and once the server: it has the attacker's descriptor, as xserver would."""
    of_victim, of_attacker = victim.names(), attacker.names()
    found = {"victim": victim.own, "attacker": attacker.own}
    found["queries"] = {
        "the attacker about itself": attacker.order("prove", *of_attacker),
        "the attacker about root's": attacker.order("prove", *of_victim),
        "the attacker about a client that is not there": attacker.order("prove", of_attacker[0] + 5000,
                                                                        *of_attacker[1:]),
        "root about the attacker's": victim.order("prove", *of_attacker)}
    borrowed = victim.order("borrow", attacker.own["pid"], attacker.own["file"])
    if borrowed["taken"]:
        found["queries"]["root by the attacker's descriptor about the attacker's"] = victim.order("prove", *of_attacker)
        found["queries"]["root by the attacker's descriptor about root's"] = victim.order("prove", *of_victim)
    if attacker.order("borrow", 0, 1)["taken"]:
        found["queries"]["the attacker by a descriptor that it has just opened about itself"] = attacker.order(
            "prove", *of_attacker)
    for program in (victim, attacker):
        program.order("borrow", 0, 0)
    found["foreign_list"] = attacker.order("switch", options.rounds, of_victim[0], *victim.own["channels"])
    found["own_list"] = attacker.order("switch", 1, of_attacker[0], *attacker.own["channels"])
    found["victims_timeslice"] = victim.order("read")
    found["foreign_timeslice"] = attacker.order("slice", of_victim[0], of_victim[2], found["victims_timeslice"]["us"])
    found["victims_timeslice_after"] = victim.order("read")
    found["own_timeslices"] = attacker.order("slices")
    found["client_numbers"] = attacker.order("clients", of_victim[0])
    before = victim.order("board")["kernels"]
    time.sleep(0.5)
    found["kernels_after"] = victim.order("board")["kernels"] - before
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--device-name", default="")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("foreign_channels: it needs root, to be two users")
    options.program = str(Path(options.program).resolve())
    programs, result = [], report.on_nvidia(options.device_name)
    with tempfile.TemporaryDirectory(dir=MEMORY_FILES) as folder:
        os.chmod(folder, 0o777)
        board = os.path.join(folder, "board")
        Path(board).touch()
        os.chmod(board, 0o666)
        try:
            programs.append(Program(options, board, True, None))
            programs.append(Program(options, board, False, ATTACKER))
            result |= measure(options, *programs)
            result["exact"] = {"attacker": programs[1].end()["exact"], "victim": programs[0].end()["exact"]}
        finally:
            for program in reversed(programs):
                program.stop()
    text = json.dumps(result, indent=1) + "\n"
    options.out.write_text(text)
    print(text, end="")
    return 0 if all(result["exact"].values()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as error:
        sys.exit(f"foreign_channels: {error}")
