#!/usr/bin/env python3
"""Programs whose memory does not fit onto an NVIDIA GPU together, under XSched (--evictable).

    memory_beside.py --build DIR --results DIR [server] [turns]

server  A server of a language model fills 90 % of what is left of the card, beside a training that fills it, after
        another program has taken so much that the host's memory suffices. Time to its first token, alone and beside the
        training in turns.
turns   Two trainings of equal priority, of which one fits: how fast both get on, beside one after the other.

DIR/cuda_memory_beside.json. Exit status 1: a wrong result. Without a GPU or PyTorch it prints "skipped" with the
reason, status 0.
"""
import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

from memory import GIB, HERE, START_SECONDS, find_card, finish, line_of, moves, run_training

LEFT_GIB = 35  # of the card, for the server and the training beside it: the host takes 30 of a machine with 128
SERVER_PART = 0.9


class Bench:
    def __init__(self, options, card_bytes):
        self.options, self.card_gib = options, card_bytes / GIB
        self.logs = Path(tempfile.mkdtemp())
        self.socket = self.logs / "x.sock"
        self.ours = {**os.environ, "XSCHED_SOCKET": str(self.socket)}
        self.evictable = {**self.ours, "XSCHED_EVICTABLE": "1", "XLOG_LEVEL": "INFO"}

    def xcli(self, *words):
        return [self.options.build / "bin" / "xcli", "run", *words, "--"]

    @contextlib.contextmanager
    def server(self):
        process = subprocess.Popen([self.options.build / "bin" / "xserver", "--no-supervise", "--socket", self.socket],
                                   stdout=open(self.logs / "server", "w"), stderr=subprocess.STDOUT)
        try:
            while not self.socket.exists():
                time.sleep(0.05)
            yield
        finally:
            process.terminate()
            process.wait(10)

    def training(self, name, gib, steps):
        return run_training(["--gib", str(gib), "--steps", str(steps)], self.xcli(), self.evictable, self.logs / name)


def first_token(prefix, environment, gib, log):
    """(seconds to the first token, its line of tokens)"""
    process = subprocess.Popen([*prefix, sys.executable, HERE / "server.py", "--gib", str(gib)], env=environment,
                               text=True, stdout=subprocess.PIPE, stderr=open(log, "w"))
    token = float(line_of(process, "token", START_SECONDS)[1])
    tokens = line_of(process, "tokens", START_SECONDS)[1:]
    process.wait(START_SECONDS)
    return token, [float(value) for value in tokens]


def beside_training(bench):
    taken = bench.card_gib - LEFT_GIB
    holder = subprocess.Popen([sys.executable, HERE / "taker.py", "--bytes", str(int(taken * GIB)), "--hold", "600"],
                              stdout=subprocess.PIPE, text=True)
    try:
        if holder.stdout.readline().split()[1] != "0":
            raise RuntimeError("the card is not empty")
        gib = LEFT_GIB * SERVER_PART
        high = bench.xcli("--priority", "10")
        # The program that runs alone is under XSched too, so both measurements contain the start-up cost of XSched.
        alone = [first_token(high, bench.ours, gib, bench.logs / "alone") for _ in range(bench.options.rounds)]
        process = bench.training("beside", LEFT_GIB - 4, bench.options.steps)
        line_of(process, "ready", START_SECONDS)
        time.sleep(bench.options.prepare)
        beside = []
        for _ in range(bench.options.rounds):
            beside.append(first_token(high, bench.ours, gib, bench.logs / "beside_server"))
            time.sleep(bench.options.rest)
        trained = finish(process)
    finally:
        holder.kill()
        holder.wait()
    found = {"server_gib": gib, "left_gib": LEFT_GIB, "alone": alone, "beside": beside, "training": trained,
             "moves": moves(bench.logs / "beside")}
    found["later_s"] = sorted(one[0] for one in beside)[len(beside) // 2] - sorted(one[0] for one in alone)[
        len(alone) // 2]
    return found


def in_turns(bench):
    gib, steps = bench.options.gib, bench.options.steps
    process = bench.training("one", gib, steps)
    line_of(process, "ready", START_SECONDS)
    alone = finish(process)
    first, second = bench.training("first", gib, steps), None
    line_of(first, "ready", START_SECONDS)
    began = time.monotonic()
    second = bench.training("second", gib, steps)
    both = [finish(first), finish(second)]
    seconds = time.monotonic() - began
    swaps = {name: moves(bench.logs / name) for name in ("first", "second")}
    swapping = sum(move["s"] for each in swaps.values() for move in each)  # behind its own work it still gets on
    return {"gib": gib, "alone": alone, "both": both, "seconds": seconds, "moves": swaps,
            "sum_of_rates": 2 * alone["seconds"] / seconds, "swapping": swapping / seconds,
            "exact": all(each["sum"] == alone["sum"] for each in both)}


QUESTIONS = {"server": beside_training, "turns": in_turns}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="*", choices=[*QUESTIONS, []], default=[])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--gib", type=float, default=80, help="of each training of `turns`")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prepare", type=float, default=20, help="seconds until the host's memory is ready")
    parser.add_argument("--rest", type=float, default=6, help="seconds between two servers")
    options = parser.parse_args()
    if (card := find_card()) is None:
        return 0
    options.results.mkdir(parents=True, exist_ok=True)
    bench = Bench(options, card.total_memory)
    found = {"date": datetime.now(timezone.utc).isoformat(timespec="seconds"), "device": card.name}
    with bench.server():
        for name in options.questions or QUESTIONS:
            try:
                found[name] = QUESTIONS[name](bench)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                found[name] = {"failed": str(error)}
            print(name, json.dumps({key: found[name][key] for key in found[name] if key != "moves"}), flush=True)
    for log in sorted(bench.logs.iterdir()):
        if log.is_file():
            print(f"--- {log.name}", log.read_text(errors="replace")[-1500:])
    (options.results / "cuda_memory_beside.json").write_text(json.dumps(found, indent=1) + "\n")
    return 1 if any("failed" in found[name] or not found[name].get("exact", True) for name in found
                    if name in QUESTIONS) else 0


if __name__ == "__main__":
    sys.exit(main())
