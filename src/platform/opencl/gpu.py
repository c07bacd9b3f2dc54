"""Tells whether a GPU with OpenCL answers (scripts/need_gpu)."""
import ctypes

REFUSAL = "no OpenCL driver offers a GPU"
CL_DEVICE_TYPE_GPU = 4
MOST_PLATFORMS = 16


def answers(first_library):
    library, count = first_library("libOpenCL.so.1"), ctypes.c_uint(0)
    platforms = (ctypes.c_void_p * MOST_PLATFORMS)()
    if not library or library.clGetPlatformIDs(MOST_PLATFORMS, platforms, ctypes.byref(count)) != 0:
        return False
    found = ctypes.c_uint(0)
    return any(library.clGetDeviceIDs(ctypes.c_void_p(platform), ctypes.c_ulong(CL_DEVICE_TYPE_GPU), 0, None,
                                      ctypes.byref(found)) == 0 and found.value
               for platform in platforms[:count.value])
