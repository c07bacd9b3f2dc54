#!/usr/bin/env python3
"""One program of a published workload (bench/workloads/published). An ordinary PyTorch program.

It says "ready" once it is loaded, and waits for a line. Then it puts its model onto the device, says "ready" again,
waits for another line, and works. Rows, in ns of CLOCK_MONOTONIC: when a request was due (in an open loop the scheduled
arrival, whenever it was begun), and how long after that it was answered.
"""
import argparse
import select
import sys
import time
from collections import deque
from pathlib import Path

import models
import torch
import zoo

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from lib import arrivals  # noqa: E402

WARM_UP = 10
DEPTH = 2  # requests or steps of a closed loop that are enqueued ahead, unless it is urgent
DECODES = {"decode", "prefill"}


def input_ended():
    return bool(select.select([sys.stdin], [], [], 0)[0]) and not sys.stdin.buffer.raw.read(1)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--task", default="inference")
    parser.add_argument("--words", type=int, default=128)
    parser.add_argument("--half", type=int, default=0)
    parser.add_argument("--graph", type=int, default=0, help="1: a request is one CUDA graph")
    parser.add_argument("--arrival", default="closed")
    parser.add_argument("--per-s", type=float, default=0)
    parser.add_argument("--pause-ms", type=float, default=0)
    parser.add_argument("--depth", type=int, default=1, help=f"of a closed loop; a background program: {DEPTH}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--until-eof", type=int, default=0, help="1: also until standard input ends")
    return parser.parse_args()


def load(options, build=zoo.build):
    """Returns what puts the model on the device and makes a function of one request or step."""
    torch.manual_seed(options.seed)
    if options.task in DECODES:  # its weights are made on the device
        import llama
        return lambda: llama.decode(options.batch) if options.task == "decode" else llama.prefill(options.words)
    model = build(options.model)
    given = model, options.model, options.batch, options.words, options.half
    if options.task == "training":
        return lambda: zoo.training(*given)
    return lambda: zoo.inference(*given, options.graph)


def open_loop(one, options, told_to_end):
    """One request after the other, each when it is due or as soon after as can be."""
    found, begin = [], time.monotonic_ns()
    for due in arrivals.schedule(options.arrival, options.per_s, options.seconds, options.seed):
        due_ns = begin + int(due * 1e9)
        while (left := due_ns - time.monotonic_ns()) > 0:
            if told_to_end():
                return found
            time.sleep(min(left / 1e9, 0.05))
        one()
        torch.cuda.current_stream().synchronize()
        found.append((due_ns, time.monotonic_ns() - due_ns))
        if told_to_end():
            break
    return found


def closed_loop(one, options, told_to_end):
    found, under_way, end = [], deque(), time.monotonic() + options.seconds
    while time.monotonic() < end and not told_to_end():
        begin = time.monotonic_ns()
        one()
        under_way.append((begin, torch.cuda.Event()))
        under_way[-1][1].record()
        if len(under_way) >= options.depth:
            begin, event = under_way.popleft()
            event.synchronize()
            found.append((begin, time.monotonic_ns() - begin))
        if options.pause_ms:
            time.sleep(options.pause_ms / 1e3)
    torch.cuda.synchronize()
    return found


def rows(one, options, told_to_end):
    """Measures until its time is over or it is told to end."""
    return (closed_loop if options.arrival == "closed" else open_loop)(one, options, told_to_end)


def write(found, path):
    with open(path, "w") as out:
        out.writelines(f"{begin} {latency}\n" for begin, latency in found)


def main():
    options = parse_options()
    torch.set_num_threads(1)
    on_device = load(options)
    models.wait_for_turn()
    one = on_device()
    for _ in range(WARM_UP):
        one()
    torch.cuda.synchronize()
    models.wait_for_turn()
    write(rows(one, options, input_ended if options.until_eof else lambda: False), options.out)


if __name__ == "__main__":
    main()
