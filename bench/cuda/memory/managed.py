"""Managed memory of which each page is written again and again, through the driver alone (bench/cuda/memory_idle.py).

    managed.py --bytes N

"touched SECONDS" for each time that all of it has been written; then it waits for a line of standard input, and ends
with the input.
"""
import argparse
import ctypes
import sys
import time

ATTACH_GLOBAL = 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=int, required=True)
    options = parser.parse_args()
    cuda = ctypes.CDLL("libcuda.so.1")
    context, memory = ctypes.c_void_p(), ctypes.c_uint64()
    for code in (cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
                 cuda.cuCtxSetCurrent(context),
                 cuda.cuMemAllocManaged(ctypes.byref(memory), ctypes.c_size_t(options.bytes), ATTACH_GLOBAL)):
        if code:
            raise SystemExit(f"the driver answers {code}")
    while True:
        began = time.perf_counter()
        if cuda.cuMemsetD8_v2(memory, ctypes.c_ubyte(7), ctypes.c_size_t(options.bytes)) or cuda.cuCtxSynchronize():
            raise SystemExit("the memory could not be written")
        print(f"touched {time.perf_counter() - began:.4f}", flush=True)
        if not sys.stdin.readline():
            return


main()
