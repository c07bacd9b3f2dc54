#!/usr/bin/env python3
"""Memory that makes room, on an NVIDIA GPU: an urgent program allocates more than is free beside a training that allows
its memory to be moved (XSCHED_EVICTABLE). Natively, and under XSched.

    memory.py --build DIR --results DIR [--gib 50] [--missing-gib 28] [--times 5] [--steps 300] [--checkpoint]

DIR/cuda_memory.json: whether and how fast the allocation succeeds, how fast memory moves, whether the training's
parameters are those of a training that nothing disturbed, bit for bit, and what it costs while nothing is moved.
Exit status 1: a wrong result. Without a GPU or PyTorch it prints "skipped" with the reason, status 0.
"""
import argparse
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent / "memory"
GIB = 1 << 30
START_SECONDS, END_SECONDS = 120, 240


def find_card():
    """PyTorch's properties of the first GPU; None, with a line that says why: there is none."""
    try:
        import torch
        if not torch.cuda.is_available():
            raise ImportError("PyTorch finds no GPU")
    except ImportError as error:
        print(f"skipped: {error}")
        return None
    return torch.cuda.get_device_properties(0)


def run_training(words, prefix, environment, log):
    return subprocess.Popen([*prefix, sys.executable, HERE / "training.py", *words], env=environment, text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(log, "w"))


def line_of(process, word, seconds):
    """The next line that begins with a word."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError("the training ended early")
        if line.startswith(word):
            return line.split()
    raise RuntimeError(f"no '{word}' within {seconds} s")


def finish(process):
    _, steps, seconds, longest, total, median = line_of(process, "done", END_SECONDS)
    process.wait(END_SECONDS)
    return {"steps": int(steps), "seconds": float(seconds), "longest_s": float(longest), "sum": total,
            "step_s": float(median)}


def take(prefix, environment, *words):
    ended = subprocess.run([*prefix, sys.executable, HERE / "taker.py", *map(str, words)], env=environment, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=END_SECONDS)
    return [line.split() for line in ended.stdout.splitlines()]


def checkpoint(pid):
    """Seconds that the driver's own checkpoint of a process takes: out (lock and checkpoint) and back (restore and
    unlock)."""
    cuda = ctypes.CDLL("libcuda.so.1")
    cuda.cuInit(0)
    took = []
    for calls in (("Lock", "Checkpoint"), ("Restore", "Unlock")):
        began = time.monotonic()
        codes = [getattr(cuda, "cuCheckpointProcess" + call)(pid, None) for call in calls]
        if any(codes):
            return {"calls": calls, "codes": codes}
        took.append(time.monotonic() - began)
    return {"out_s": took[0], "back_s": took[1]}


def moves(log):
    """[(out or back, GiB, seconds)] as the training's log tells them."""
    found = []
    for line in Path(log).read_text(errors="replace").splitlines():
        if m := re.search(r"([\d.]+) GiB of this program's memory (went|came).* in ([\d.]+) s(?:, behind ([\d.]+))?",
                          line):
            found.append({"way": "out" if m[2] == "went" else "back", "gib": float(m[1]), "s": float(m[3]),
                          "behind_s": float(m[4] or 0)})
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--gib", type=float, default=50)
    parser.add_argument("--missing-gib", type=float, default=28)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--prepare", type=float, default=20, help="seconds until the host's memory is ready")
    parser.add_argument("--checkpoint", action="store_true", help="also the driver's checkpoint of such a training")
    options = parser.parse_args()
    if (card := find_card()) is None:
        return 0
    total = card.total_memory
    options.results.mkdir(parents=True, exist_ok=True)
    training = ["--gib", str(options.gib), "--steps", str(options.steps)]
    found = {"date": datetime.now(timezone.utc).isoformat(timespec="seconds"), "device": card.name,
             "gib": options.gib, "missing_gib": options.missing_gib}
    plain = dict(os.environ)
    logs = Path(tempfile.mkdtemp())
    # Measured natively: the training alone, and the allocation while the training holds its memory.
    process = run_training(training, [], plain, logs / "native")
    reserved = int(line_of(process, "ready", START_SECONDS)[1])
    wanted = int(total - reserved + options.missing_gib * GIB)
    found["taker_gib"] = wanted / GIB
    found["native_malloc"] = take([], plain, "--bytes", wanted)
    found["native"] = finish(process)
    found["native_mallocs"] = take([], plain, "--mallocs")
    print(json.dumps(found), flush=True)
    # Under XSched.
    socket = logs / "x.sock"
    server = subprocess.Popen([options.build / "bin" / "xserver", "--no-supervise", "--socket", socket],
                              stdout=open(logs / "server", "w"), stderr=subprocess.STDOUT)
    try:
        while not socket.exists():
            time.sleep(0.05)
        ours = {**plain, "XSCHED_SOCKET": str(socket)}
        low = [options.build / "bin" / "xcli", "run", "--"]
        high = [options.build / "bin" / "xcli", "run", "--priority", "10", "--"]
        evictable = {**ours, "XSCHED_EVICTABLE": "1", "XLOG_LEVEL": "INFO"}
        process = run_training(training, low, evictable, logs / "quiet")
        line_of(process, "ready", START_SECONDS)
        found["evictable_alone"] = finish(process)
        found["evictable_mallocs"] = take(low, evictable, "--mallocs")
        print(json.dumps(found["evictable_alone"]), flush=True)
        process = run_training(training, low, evictable, logs / "moved")
        line_of(process, "ready", START_SECONDS)
        time.sleep(options.prepare)
        found["mallocs"] = take(high, ours, "--bytes", wanted, "--times", options.times)
        found["evicted"] = finish(process)
        found["moves"] = moves(logs / "moved")
    finally:
        server.terminate()
        server.wait(10)
    if options.checkpoint:
        process = run_training(training, [], plain, logs / "checkpoint")
        line_of(process, "ready", START_SECONDS)
        found["checkpoint"] = checkpoint(process.pid)
        found["checkpointed"] = finish(process)
    found["exact"] = found["evicted"]["sum"] == found["native"]["sum"] == found["evictable_alone"]["sum"]
    print(json.dumps({key: found[key] for key in ("mallocs", "evicted", "moves", "exact", "native_mallocs",
                                                  "evictable_mallocs", "checkpoint") if key in found}, indent=1))
    for name in ("quiet", "moved", "server"):
        print(f"--- {name}", (logs / name).read_text(errors="replace")[-2500:])
    (options.results / "cuda_memory.json").write_text(json.dumps(found, indent=1) + "\n")
    return 0 if found["exact"] else 1


if __name__ == "__main__":
    sys.exit(main())
