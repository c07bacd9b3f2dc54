"""Takes device memory as an urgent program does, through the driver alone: no PyTorch (bench/cuda/memory.py).

    taker.py --bytes N [--hold SECONDS] [--times N] [--rest SECONDS] [--random SEED] [--mallocs]

One line per allocation: "malloc CODE SECONDS". --mallocs: instead, "mallocs MIB P50 P99" of 200 allocations of 1 and of
64 MiB, in microseconds.
"""
import argparse
import ctypes
import random
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=int, default=0)
    parser.add_argument("--hold", type=float, default=1)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--rest", type=float, default=1)
    parser.add_argument("--random", type=int, help="a seed: rests are random, twice as long at the most")
    parser.add_argument("--mallocs", action="store_true")
    options = parser.parse_args()
    cuda = ctypes.CDLL("libcuda.so.1")
    context, memory = ctypes.c_void_p(), ctypes.c_uint64()
    for code in (cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
                 cuda.cuCtxSetCurrent(context)):
        if code:
            raise SystemExit(f"the driver answers {code}")
    if options.mallocs:
        for mib in (1, 64):
            took = []
            for _ in range(200):
                began = time.perf_counter()
                cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(mib << 20))
                took.append((time.perf_counter() - began) * 1e6)
                cuda.cuMemFree_v2(memory)
            took.sort()
            print(f"mallocs {mib} {took[100]:.1f} {took[198]:.1f}", flush=True)
        return
    chance = random.Random(options.random) if options.random is not None else None
    for _ in range(options.times):
        began = time.perf_counter()
        code = cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(options.bytes))
        print(f"malloc {code} {time.perf_counter() - began:.4f}", flush=True)
        if code == 0:
            cuda.cuMemsetD8_v2(memory, ctypes.c_ubyte(7), ctypes.c_size_t(options.bytes))
            cuda.cuCtxSynchronize()
            time.sleep(options.hold)
            cuda.cuMemFree_v2(memory)
        time.sleep(options.rest if chance is None else chance.uniform(0, 2 * options.rest))


main()
