#!/usr/bin/env python3
"""A program that stays, and is one program of a published workload after the other (workload.py). An ordinary PyTorch
program: so that Python, PyTorch and the device's context are not loaded again for each measurement.

It says "ready" once PyTorch is loaded. Then it answers each line of standard input, a JSON object, by another one:

    {"do": "build", "model": ...}     puts a model with random weights onto the device, instead of the last one
    {"do": "warm"}                    some requests, so that libraries are loaded and memory is taken
    {"do": "work", "arrival": ...}    as workload.py, rows into the file "out"; with "until-told": 1 until a line comes
    {"do": "rest"}                    gives memory back that no model needs; with "drop": 1 the model's as well
"""
import argparse
import faulthandler
import gc
import json
import select
import sys
import time
import traceback

import torch
import workload
import zoo

FEWEST, WARM_SECONDS = 3, 0.4
STALL_SECONDS = 30  # longer than anything takes that it is told


def line_waits():
    """Returns whether it is told to end; takes the line."""
    return bool(select.select([sys.stdin], [], [], 0)[0]) and sys.stdin.buffer.raw.readline() is not None


def never():
    return False


class Resident:
    def __init__(self):
        self.one = None

    def build(self, options):
        self.rest({"drop": 1})
        self.one = workload.load(options, zoo.build_on_device)()
        torch.cuda.synchronize()

    def warm(self, _):
        begin = time.monotonic()
        for number in range(workload.WARM_UP):
            self.one()
            torch.cuda.synchronize()
            if number + 1 >= FEWEST and time.monotonic() - begin > WARM_SECONDS:
                break

    def work(self, options):
        rows = workload.rows(self.one, options, line_waits if options.until_told else never)
        workload.write(rows, options.out)

    def rest(self, words):
        if words.get("drop"):
            self.one = None
        gc.collect()
        torch.cuda.empty_cache()

    def do(self, words):
        what = words.pop("do")
        if what == "rest":
            return self.rest(words)
        options = argparse.Namespace(**{name.replace("-", "_"): value for name, value in words.items()})
        return {"build": self.build, "warm": self.warm, "work": self.work}[what](options)


def main():
    torch.set_num_threads(1)
    zoo.load_libraries()
    resident = Resident()
    print("ready", flush=True)
    while line := sys.stdin.buffer.raw.readline():
        begin, said = time.monotonic(), {}
        try:
            faulthandler.dump_traceback_later(STALL_SECONDS, repeat=True)  # of a hang the log says where
            resident.do(json.loads(line))
        except Exception as error:  # whatever PyTorch, a model or the device says: the next line may fare better
            traceback.print_exc()
            said["error"] = f"{type(error).__name__}: {str(error)[:400]}"
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps({**said, "seconds": round(time.monotonic() - begin, 3)}), flush=True)


if __name__ == "__main__":
    main()
