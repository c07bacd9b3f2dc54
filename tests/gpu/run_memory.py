#!/usr/bin/env python3
"""Programs whose memory may be moved (--evictable), beside an urgent program that takes memory at random times, on an
NVIDIA GPU: each computes what it computes natively, bit for bit.

    run_memory.py --build DIR --results DIR [--gib 8] [--times 20] [KIND ...]

KIND: torch, expandable (PyTorch's expandable segments), async (its cudaMallocAsync backend), graph (a captured graph),
jax, cupy, share (tensors that go to a second process and back by torch.multiprocessing, under XSched both); all of
them. JAX opens its memory to all devices that it sees, so it sees one. DIR/cuda_memory_exact.json. Exit status 1
if a result differs, or memory that is to move does not, or the reverse; 77 if no GPU or no PyTorch is here.
"""
import argparse
import ctypes
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent
TAKER = HERE.parents[1] / "bench/cuda/memory/taker.py"
NOT_HERE, GIB, SECONDS = 77, 1 << 30, 120
ALLOCATOR = "PYTORCH_CUDA_ALLOC_CONF"
ONE_DEVICE = {"CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]}
KINDS = {"torch": ("torch", {}), "expandable": ("torch", {ALLOCATOR: "expandable_segments:True"}),
         "async": ("torch", {ALLOCATOR: "backend:cudaMallocAsync"}), "graph": ("graph", {}), "jax": ("jax", ONE_DEVICE),
         "cupy": ("cupy", {}), "share": ("share", {})}
STAY = set()  # kinds whose memory does not move
MOVED = re.compile(r"GiB of this program's memory (went|came)")
STAYS = re.compile(r"memory.*(stays|keeps|cannot be moved)")
LEFT_FREE = 2 * GIB  # that the urgent program leaves to the driver and to contexts
REST_SECONDS = 0.4  # on average between two allocations


class Program:
    def __init__(self, words, environment, log):
        self.log = log
        self.process = subprocess.Popen([str(word) for word in words], env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(log, "w"))

    def line(self, word):
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"it ended early: {Path(self.log).read_text()[-600:]}")
            if line.startswith(word):
                return line.split()[1:]
        raise RuntimeError(f"no '{word}' within {SECONDS} s")

    def stop(self):
        self.process.stdin.write("stop\n")
        self.process.stdin.flush()
        rounds, checksum = self.line("done")
        self.process.wait(SECONDS)
        return int(rounds), checksum


def free_and_total():
    """By a process of its own, which leaves no context behind."""
    ask = ("import ctypes; c = ctypes.CDLL('libcuda.so.1'); x = ctypes.c_void_p(); f, t = ctypes.c_size_t(), "
           "ctypes.c_size_t(); c.cuInit(0); c.cuDevicePrimaryCtxRetain(ctypes.byref(x), 0); c.cuCtxSetCurrent(x); "
           "c.cuMemGetInfo_v2(ctypes.byref(f), ctypes.byref(t)); print(f.value, t.value)")
    return tuple(map(int, subprocess.check_output([sys.executable, "-c", ask], text=True).split()))


class Runs:
    def __init__(self, options):
        self.options, self.folder = options, Path(tempfile.mkdtemp())
        self.socket = self.folder / "x.sock"
        self.random = random.Random(options.seed)

    def xcli(self, *words):
        return [self.options.build / "bin" / "xcli", "run", *words, "--"]

    def words(self, kind, *more):
        return [sys.executable, HERE / "memory_programs.py", KINDS[kind][0], "--gib", self.options.gib, *more]

    def disturb(self, environment, wanted):
        """The urgent program's allocations: (how many succeeded, how many failed)."""
        process = subprocess.run([str(word) for word in self.xcli("--priority", "10")] + [
            sys.executable, str(TAKER), "--bytes", str(wanted), "--times", str(self.options.times), "--hold", "0.05",
            "--rest", str(REST_SECONDS), "--random", str(self.random.randrange(1 << 30))], env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=2 * SECONDS)
        codes = [line.split()[1] for line in process.stdout.splitlines()]
        return codes.count("0"), len(codes) - codes.count("0")

    def run(self, kind):
        own = {**os.environ, **KINDS[kind][1]}
        ours = {**own, "XSCHED_SOCKET": str(self.socket)}
        log = self.folder / kind
        program = Program(self.xcli("--evictable") + self.words(kind), {**ours, "XLOG_LEVEL": "INFO"}, log)
        taken = int(program.line("ready")[0])
        free, _ = free_and_total()
        succeeded, failed = self.disturb(ours, free - LEFT_FREE + int(0.7 * taken))
        rounds, checksum = program.stop()
        native = Program(self.words(kind, "--rounds", rounds), own, self.folder / f"{kind}-native")
        natively = native.line("done")
        native.process.wait(SECONDS)
        text = log.read_text(errors="replace")
        moves = len(MOVED.findall(text))
        return {"rounds": rounds, "bytes": taken, "allocations": succeeded, "failed": failed, "moves": moves,
                "as_expected": (moves == 0) == (kind in STAY), "exact": natively == [str(rounds), checksum],
                "said": [line for line in text.splitlines() if "[WARN" in line or STAYS.search(line)][:3]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)} (all)")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--gib", type=float, default=8)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        ctypes.CDLL("libcuda.so.1")
        import torch
        if not torch.cuda.is_available():
            raise ImportError("PyTorch finds no GPU")
    except (ImportError, OSError) as error:
        print(f"skipped: {error}")
        return NOT_HERE
    runs = Runs(options)
    found = {"date": datetime.now(timezone.utc).isoformat(timespec="seconds"), "device": torch.cuda.get_device_name(0),
             "gib": options.gib, "kinds": {}}
    server = subprocess.Popen([options.build / "bin" / "xserver", "--no-supervise", "--socket", runs.socket],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not runs.socket.exists():
            time.sleep(0.05)
        for kind in options.kinds or KINDS:
            try:
                found["kinds"][kind] = runs.run(kind)
            except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
                missing = "ModuleNotFoundError" in str(error)
                found["kinds"][kind] = {"exact": missing, "as_expected": missing, "failed": str(error)[-600:]}
            print(kind, json.dumps(found["kinds"][kind]), flush=True)
    finally:
        server.terminate()
        server.wait(10)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "cuda_memory_exact.json").write_text(json.dumps(found, indent=1) + "\n")
    wrong = [kind for kind, each in found["kinds"].items() if not each["exact"]]
    unexpected = [kind for kind, each in found["kinds"].items() if not each["as_expected"]]
    print(f"{len(found['kinds']) - len(wrong)} of {len(found['kinds'])} exact" + (f"; not {wrong}" if wrong else "") +
          (f"; moves of {unexpected} are not as expected" if unexpected else ""))
    return 1 if wrong or unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
