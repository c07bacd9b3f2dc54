#!/usr/bin/env python3
"""Bursts that make a handle of cuBLAS, multiply with it for the first time, and destroy it.

    handles.py --out FILE --bursts N [--period-ms MS]

An ordinary PyTorch program, for the cuBLAS that it brings along. Prints "ready" and writes a row for each burst, as
lib/neighbour_rows.py has them: begin (CLOCK_MONOTONIC ns), its latency, 0, 0, what the handle, the product and a wait,
and the end of the handle took (ns). Exit status 1: a product is wrong."""
import ctypes
import sys
import time
from pathlib import Path

import bursts
import torch

SIDE = 512
ONE, NOTHING = ctypes.c_float(1), ctypes.c_float(0)


def cublas():
    """The one that PyTorch has loaded."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split()[-1] for line in maps if "/libcublas.so" in line}
    return ctypes.CDLL(min(paths)) if paths else ctypes.CDLL("libcublas.so.12")


def checked(code, what):
    if code != 0:
        sys.exit(f"{Path(__file__).name}: {what}: error {code}")


def main():
    options = bursts.parse(__doc__)
    left = torch.ones(SIDE, SIDE, device="cuda")
    right = torch.full((SIDE, SIDE), 2.0, device="cuda")
    product = torch.zeros(SIDE, SIDE, device="cuda")
    torch.matmul(left, right)  # loads cuBLAS
    torch.cuda.synchronize()
    blas, stream = cublas(), torch.cuda.current_stream()
    pointers = [ctypes.c_void_p(each.data_ptr()) for each in (left, right, product)]

    def burst():
        times, handle = [time.monotonic_ns()], ctypes.c_void_p()
        checked(blas.cublasCreate_v2(ctypes.byref(handle)), "cublasCreate_v2")
        times.append(time.monotonic_ns())
        checked(blas.cublasSetStream_v2(handle, ctypes.c_void_p(stream.cuda_stream)), "cublasSetStream_v2")
        checked(blas.cublasSgemm_v2(handle, 0, 0, SIDE, SIDE, SIDE, ctypes.byref(ONE), pointers[0], SIDE, pointers[1],
                                    SIDE, ctypes.byref(NOTHING), pointers[2], SIDE), "cublasSgemm_v2")
        stream.synchronize()
        times.append(time.monotonic_ns())
        checked(blas.cublasDestroy_v2(handle), "cublasDestroy_v2")
        times.append(time.monotonic_ns())
        return 0, 0, *(later - sooner for sooner, later in zip(times, times[1:]))

    burst()
    bursts.run(options, burst)
    return 0 if bool((product == 2.0 * SIDE).all()) else 1


if __name__ == "__main__":
    sys.exit(main())
