"""Tells whether a GPU with CUDA answers (scripts/need_gpu)."""
import ctypes

REFUSAL = "no NVIDIA driver answers"


def answers(first_library):
    library, count = first_library("libcuda.so.1"), ctypes.c_int(0)
    return (bool(library) and library.cuInit(0) == 0 and library.cuDeviceGetCount(ctypes.byref(count)) == 0
            and count.value > 0)
