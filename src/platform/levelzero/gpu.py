"""Tells whether a GPU with Level Zero answers (scripts/need_gpu)."""
import ctypes

REFUSAL = "no Level Zero driver offers a GPU"
ONLY_GPUS = 1  # ZE_INIT_FLAG_GPU_ONLY
MOST_DRIVERS = 16


def answers(first_library):
    library, count = first_library("libze_loader.so.1"), ctypes.c_uint(MOST_DRIVERS)
    drivers = (ctypes.c_void_p * MOST_DRIVERS)()
    if not library or library.zeInit(ONLY_GPUS) != 0 or library.zeDriverGet(ctypes.byref(count), drivers) != 0:
        return False
    found = ctypes.c_uint(0)
    return any(library.zeDeviceGet(ctypes.c_void_p(driver), ctypes.byref(found), None) == 0 and found.value
               for driver in drivers[:count.value])
