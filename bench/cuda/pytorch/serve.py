#!/usr/bin/env python3
"""A server that answers a request about every 10 ms with BERT-base as a CUDA graph: copy in, replay, copy out,
synchronize. An ordinary PyTorch program.

    serve.py --out FILE --seconds 6   per request: start (CLOCK_MONOTONIC ns), latency (ns)

Prints "ready" once measuring begins. Exit status 1 if an answer is not the same as the first.
"""
import argparse
import random
import sys
import time

import models
import torch

PERIOD_MS = (9, 11)
WARM_UP_REQUESTS = 50


class Server:
    def __init__(self, seed, model):
        self.graph, self.input, self.output, self.which = models.bert_graph(1, 128, model)
        self.request = self.input.cpu().pin_memory()
        self.answer = torch.empty(self.output.shape, dtype=self.output.dtype, pin_memory=True)
        self.random, self.first, self.wrong = random.Random(seed), None, 0

    def answer_one(self):
        begin = time.monotonic_ns()
        self.input.copy_(self.request, non_blocking=True)
        self.graph.replay()
        self.answer.copy_(self.output, non_blocking=True)
        torch.cuda.current_stream().synchronize()
        return begin, time.monotonic_ns() - begin

    def answer_and_pause(self):
        """One row of the measurements."""
        begin, latency = self.answer_one()
        self.first = self.answer.clone() if self.first is None else self.first
        self.wrong += not torch.equal(self.answer, self.first)
        time.sleep(max(begin / 1e9 + self.random.uniform(*PERIOD_MS) / 1e3 - time.monotonic(), 0))
        return begin, latency


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wait", type=int, default=0, help="1: for a line of standard input, before using the device")
    options = parser.parse_args()
    torch.set_num_threads(1)  # comparing an answer on 16 spinning threads took the processors that training needs
    models.deterministic()
    model = models.bert()
    if options.wait:
        models.wait_for_turn()
    server = Server(options.seed, model)
    print(f"serve: BERT of {server.which}", file=sys.stderr)
    for _ in range(WARM_UP_REQUESTS):
        server.answer_and_pause()
    print("ready", flush=True)
    rows, end = [], time.monotonic() + options.seconds
    while time.monotonic() < end:
        rows.append(server.answer_and_pause())
    with open(options.out, "w") as out:
        out.writelines(f"{begin} {latency}\n" for begin, latency in rows)
    if server.wrong:
        sys.exit(f"serve: the device's result is wrong: {server.wrong} answers differ from the first")


if __name__ == "__main__":
    main()
