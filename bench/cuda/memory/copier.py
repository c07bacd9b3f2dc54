"""Copies of one program, through the driver alone (bench/cuda/memory_idle.py), between 1 GiB of device memory and as
much pinned memory of the host.

    copier.py [--seconds 1]

One line per kind: "KIND VALUE": GB/s of copies of 1 GiB and of 1 MiB (upload, download, within the device), and of
memsets.
"""
import argparse
import ctypes
import statistics
import time

GIB, MIB = 1 << 30, 1 << 20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1, help="of all kinds together")
    options = parser.parse_args()
    cuda = ctypes.CDLL("libcuda.so.1")
    context, host, here, there = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_uint64()
    size = ctypes.c_size_t
    for code in (cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
                 cuda.cuCtxSetCurrent(context), cuda.cuMemHostAlloc(ctypes.byref(host), size(GIB), 0),
                 cuda.cuMemAlloc_v2(ctypes.byref(here), size(GIB)), cuda.cuMemAlloc_v2(ctypes.byref(there), size(GIB))):
        if code:
            raise SystemExit(f"the driver answers {code}")
    kinds = {f"{name} {words}": (lambda call=call, of=of: call(size(of)), of)
             for of, words in ((GIB, "1 GiB"), (MIB, "1 MiB"))
             for name, call in (("upload", lambda of: cuda.cuMemcpyHtoDAsync_v2(here, host, of, None)),
                                ("download", lambda of: cuda.cuMemcpyDtoHAsync_v2(host, here, of, None)),
                                ("within", lambda of: cuda.cuMemcpyDtoDAsync_v2(there, here, of, None)),
                                ("set", lambda of: cuda.cuMemsetD32Async(here, 7, size(of.value // 4), None)))}
    for name, (call, of) in kinds.items():
        rates, end = [], time.perf_counter() + options.seconds / len(kinds)
        while len(rates) < 3 or time.perf_counter() < end:
            began = time.perf_counter()
            if call() or cuda.cuCtxSynchronize():
                raise SystemExit(f"{name} failed")
            rates.append(of / (time.perf_counter() - began) / 1e9)
        print(name, f"{statistics.median(rates):.2f}", flush=True)


main()
