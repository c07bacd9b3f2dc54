#!/usr/bin/env python3
"""Training of GPT-2 medium until standard input ends. An ordinary PyTorch program.

    train.py --out FILE   first the fingerprint of the first step's loss and the processor time of a step (us), then per
                          step when it was seen complete (CLOCK_MONOTONIC ns)

Prints "ready" after the first steps.
"""
import argparse
import select
import sys
import time
from collections import deque

import models
import torch

BATCH, LENGTH = 8, 1024  # with 4 of 512 the processor is the slower one, and its noise is what is measured
FIRST_STEPS = 8
DEPTH = 2  # steps enqueued ahead


def input_ended():
    return bool(select.select([sys.stdin], [], [], 0)[0]) and not sys.stdin.buffer.read1(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--wait", type=int, default=0, help="1: for a line of standard input, before using the device")
    options = parser.parse_args()
    models.deterministic()
    model = models.gpt2(**models.GPT2_MEDIUM).train()
    if options.wait:
        models.wait_for_turn()
    model, text = model.cuda(), models.words(options.batch, LENGTH)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step():
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(text, labels=text).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    # Only the first run is kept: attention's gradients differ from run to run.
    loss = models.fingerprint([step() for _ in range(FIRST_STEPS)][0])
    print("ready", flush=True)
    done, enqueued, end = [], deque(), time.monotonic() + options.seconds
    processor = time.process_time_ns()
    while time.monotonic() < end and not input_ended():
        step()
        enqueued.append(torch.cuda.Event())
        enqueued[-1].record()
        if len(enqueued) == DEPTH:
            enqueued.popleft().synchronize()
            done.append(time.monotonic_ns())
    torch.cuda.synchronize()
    processor = (time.process_time_ns() - processor) // 1000 // max(1, len(done) + len(enqueued))
    with open(options.out, "w") as out:
        out.writelines(f"{row}\n" for row in [f"{loss} {processor}", *done])


if __name__ == "__main__":
    main()
