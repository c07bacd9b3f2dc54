#!/usr/bin/env python3
"""How long copies are slow after memory of the device was freed, natively (docs/decisions/024).

    bench/cuda/freed_memory.py --results DIR [--gib 0.25,1,4,10] [--rounds 3]

A program allocates so much in tensors of 256 MiB, writes them and frees them all. Then it copies 1 MiB of pinned memory
again and again, 0.2 ms apart, for 80 ms. DIR/freed_memory.json gets, for copies in and out: how long the releases took,
until how long behind the first one copies took over 3 times their median, and the longest copy. Exit status 1: the
device or one of its calls is missing."""
import argparse
import ctypes
import json
import os
import statistics
import sys
import time
from pathlib import Path

MIB = 1 << 20
TENSOR, COPY = 256 * MIB, MIB
APART_S, LOOK_S, SETTLE_S = 0.0002, 0.08, 0.15
SLOW = 3


class Driver:
    """libcuda by name; an error ends the program."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self("cuInit", 0)
        context = ctypes.c_void_p()
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self("cuCtxSetCurrent", context)

    def __call__(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            raise OSError(f"{name} says {code}")

    def device(self):
        name = ctypes.create_string_buffer(96)
        self("cuDeviceGetName", name, 96, 0)
        return name.value.decode()

    def allocate(self, size):
        memory = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))
        return memory

    def pinned(self, size):
        memory = ctypes.c_void_p()
        self("cuMemHostAlloc", ctypes.byref(memory), ctypes.c_size_t(size), 0)
        return memory


class Copies:
    def __init__(self, driver):
        self.driver, self.host, self.memory = driver, driver.pinned(COPY), driver.allocate(COPY)

    def copy(self, way):
        began = time.monotonic()
        size = ctypes.c_size_t(COPY)
        if way == "in":
            self.driver("cuMemcpyHtoDAsync_v2", self.memory, self.host, size, None)
        else:
            self.driver("cuMemcpyDtoHAsync_v2", self.host, self.memory, size, None)
        self.driver("cuStreamSynchronize", None)
        return began, time.monotonic() - began

    def watch(self, way):
        """(begin, length) of each copy for a while, in seconds."""
        until, seen = time.monotonic() + LOOK_S, []
        while time.monotonic() < until:
            seen.append(self.copy(way))
            time.sleep(APART_S)
        return seen


def measure(driver, copies, way, size):
    tensors = [driver.allocate(TENSOR) for _ in range(max(1, size // TENSOR))]
    for tensor in tensors:
        driver("cuMemsetD32_v2", tensor, 7, ctypes.c_size_t(TENSOR // 4))
    driver("cuCtxSynchronize")
    time.sleep(SETTLE_S)
    usual = statistics.median(length for _, length in copies.watch(way))
    began = time.monotonic()
    for tensor in tensors:
        driver("cuMemFree_v2", tensor)
    freed = time.monotonic()
    seen = copies.watch(way)
    slow = [begin + length for begin, length in seen if length > SLOW * usual]
    return {"usual_us": usual * 1e6, "freed_ms": (freed - began) * 1e3,
            "slow_until_ms": (max(slow, default=began) - began) * 1e3,
            "longest_us": max(length for _, length in seen) * 1e6}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--gib", default="0.25,1,4,10")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    driver = Driver()
    copies = Copies(driver)
    found = {"device": driver.device(), "when": time.strftime("%F %T %z"),
             "version": os.environ.get("XSCHED_BENCH_VERSION", ""), "results": {}}
    for gib in map(float, options.gib.split(",")):
        for way in ("in", "out"):
            rounds = [measure(driver, copies, way, round(gib * 1024 * MIB)) for _ in range(options.rounds)]
            result = {key: round(statistics.median(one[key] for one in rounds), 2) for key in rounds[0]}
            found["results"][f"{gib:g} GiB, {way}"] = result
            told = "  ".join(f"{key} {value:.1f}" for key, value in result.items())
            print(f"{gib:6g} GiB, {way:4s}", told, flush=True)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "freed_memory.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main()
    except (OSError, AttributeError) as error:
        sys.exit(f"freed_memory: {error}")
