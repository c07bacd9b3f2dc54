#!/usr/bin/env python3
"""Keeps devices busy, each by a thread of its own, and notes when each piece of work is done. An ordinary PyTorch
program.

    two_devices_program.py --out FILE --devices 0,1 [--seconds 2] [--wait 1]   rows: device, end (CLOCK_MONOTONIC ns)

It works for so long, or until standard input ends. With --wait 1 it waits for a line of that before it uses a device.
It says "ready" before that, and once it works. Exit status 1 if a result is not the first one.
"""
import argparse
import sys
import threading
import time

import torch

SIZE, PRODUCTS = 2048, 20  # a piece of work: some milliseconds


class Worker(threading.Thread):
    def __init__(self, device, stop):
        super().__init__()
        self.device, self.stop, self.rows, self.wrong, self.ready = device, stop, [], 0, threading.Event()

    def piece(self):
        product = self.start_matrix
        for _ in range(PRODUCTS):
            product = torch.tanh(product @ self.factor)
        torch.cuda.synchronize(self.device)
        return product

    def run(self):
        generator = torch.Generator().manual_seed(5)
        with torch.cuda.device(self.device), torch.no_grad():
            self.start_matrix = torch.randn(SIZE, SIZE, generator=generator).cuda()
            self.factor = torch.randn(SIZE, SIZE, generator=generator).cuda() / SIZE ** 0.5
            first = self.piece().clone()
            self.ready.set()
            while not self.stop.is_set():
                product = self.piece()
                self.rows.append((self.device, time.monotonic_ns()))
                self.wrong += not torch.equal(product, first)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--devices", default="0,1")
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--wait", type=int, default=0)
    options = parser.parse_args()
    if options.wait:
        print("ready", flush=True)
        sys.stdin.buffer.raw.readline()
    stop = threading.Event()
    workers = [Worker(int(device), stop) for device in options.devices.split(",")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.ready.wait()
    print("ready", flush=True)
    if options.seconds:
        time.sleep(options.seconds)
    else:
        while sys.stdin.buffer.raw.read(1):
            pass
    stop.set()
    for worker in workers:
        worker.join()
    with open(options.out, "w") as out:
        out.writelines(f"{device} {end}\n" for worker in workers for device, end in worker.rows)
    if any(worker.wrong for worker in workers):
        sys.exit(f"two_devices_program: wrong results on devices {[w.device for w in workers if w.wrong]}")


if __name__ == "__main__":
    main()
