"""Tells whether a GPU with HIP answers (scripts/need_gpu)."""
import ctypes

REFUSAL = "no AMD driver answers"


def answers(first_library):
    library = first_library("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5")
    count = ctypes.c_int(0)
    return bool(library) and library.hipGetDeviceCount(ctypes.byref(count)) == 0 and count.value > 0
