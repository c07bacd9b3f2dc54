"""Tells whether an Ascend NPU answers (scripts/need_gpu)."""
import ctypes

REFUSAL = "CANN offers no Ascend NPU"


def answers(first_library):
    library, count = first_library("libascendcl.so"), ctypes.c_uint(0)
    return bool(library and library.aclInit(None) == 0 and library.aclrtGetDeviceCount(ctypes.byref(count)) == 0
                and count.value)
