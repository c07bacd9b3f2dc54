"""The beginning of programs that use the fake CUDA driver by hand: a stream, a word of pinned memory, and write()."""

DRIVER = """
import ctypes, sys
driver = ctypes.CDLL("libcuda.so.1")
context, pointer, memory, stream = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p(), ctypes.c_void_p()
assert driver.cuInit(0) == 0
assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert driver.cuCtxSetCurrent(context) == 0
assert driver.cuMemHostAlloc(ctypes.byref(memory), ctypes.c_size_t(4), 2) == 0
assert driver.cuMemHostGetDevicePointer_v2(ctypes.byref(pointer), memory, 0) == 0
assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0
def write(value): assert driver.cuMemsetD32Async(pointer, value, ctypes.c_size_t(1), stream) == 0
"""
