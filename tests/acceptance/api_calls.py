#!/usr/bin/env python3
"""The calls that every program makes, one after the other, through ctypes: device count, allocation, copies, launch,
stream creation, synchronization and destruction, release. Prints each call's names and at last the result; exit status
77 if there is no such driver here. An ordinary program.

    api_calls.py cuda|hip|opencl
"""
import ctypes
import json
import os
import re
import sys
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from pathlib import Path

COUNT = 1024
ROOT = Path(__file__).resolve().parents[2]
# The suite's kernel.
KERNEL = ROOT / "bench" / "programs" / "busy_kernel.h"
PTX = re.search(r'R"\((.*?)\)"', KERNEL.read_text(), re.S).group(1).lstrip().encode()
SOURCE = b"""__kernel void busy(__global uint* state, uint steps) {
    state[get_global_id(0)] = state[get_global_id(0)] * 1664525u + 1013904223u;
}"""


HIP_SOURCE = b"""extern "C" __global__ void busy(unsigned* state, unsigned steps) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    state[i] = state[i] * 1664525u + 1013904223u;
}"""
HIP_COMPILERS = ("libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so")


CUDA_NAMES = {"function": "cuModuleGetFunction", "create": "cuStreamCreate|stream ", "allocate": "cuMemAlloc_v2",
              "copy_in": "cuMemcpyHtoD_v2", "synchronize": "cuStreamSynchronize", "launch": "cuLaunchKernel",
              "copy_out": "cuMemcpyDtoH_v2", "destroy": "cuStreamDestroy_v2|destroyed", "free": "cuMemFree_v2"}
HIP_NAMES = {"function": "hipModuleGetFunction", "create": "hipStreamCreateWithFlags|stream ", "allocate": "hipMalloc",
             "copy_in": "hipMemcpyHtoD", "synchronize": "hipStreamSynchronize", "launch": "hipModuleLaunchKernel",
             "copy_out": "hipMemcpyDtoH", "destroy": "hipStreamDestroy|destroyed", "free": "hipFree"}


def say(name):
    """`name`, or several that would do as well: a|b."""
    print(f"call {name}")


def check(code, name):
    if code != 0:
        sys.exit(f"api_calls: {name} returns {code}")


def expected():
    return [(i * 1664525 + 1013904223) & 0xffffffff for i in range(COUNT)]


class Caller:
    def __init__(self, library):
        self.library = library

    def __call__(self, names, *arguments):
        """Calls the first of the names."""
        say(names)
        check(getattr(self.library, names.split("|")[0])(*arguments), names)


def stream_calls(call, names, module):
    """The calls from a module on, by the names that a platform has for them; the numbers that the kernel leaves."""
    kernel, stream, memory = c_void_p(), c_void_p(), c_void_p()
    call(names["function"], byref(kernel), module, c_char_p(b"busy"))
    call(names["create"], byref(stream), c_uint(1))
    call(names["allocate"], byref(memory), c_size_t(4 * COUNT))
    data = (c_uint32 * COUNT)(*range(COUNT))
    call(names["copy_in"], memory, data, c_size_t(4 * COUNT))
    check(getattr(call.library, names["synchronize"])(None), names["synchronize"])
    steps = c_uint32(1)
    parameters = (c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(steps))
    call(names["launch"], kernel, COUNT // 256, 1, 1, 256, 1, 1, 0, stream, parameters, None)
    call(names["synchronize"], stream)
    call(names["copy_out"], data, memory, c_size_t(4 * COUNT))
    call(names["destroy"], stream)
    call(names["free"], memory)
    return list(data)


def cuda(library):
    call, number = Caller(library), c_int()
    if library.cuInit(0) != 0:
        print("skipped: no NVIDIA driver answers")
        sys.exit(77)
    call("cuDeviceGetCount", byref(number))
    context, module = c_void_p(), c_void_p()
    call("cuDevicePrimaryCtxRetain", byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", byref(module), c_char_p(PTX))
    return stream_calls(call, CUDA_NAMES, module)


def hip_compiled(library):
    """HIP_SOURCE for the current device. Some versions of the runtime hold hiprtc themselves."""
    try:
        compiler = opened(HIP_COMPILERS)
    except OSError:
        compiler = library
    program, size = c_void_p(), c_size_t()
    check(compiler.hiprtcCreateProgram(byref(program), HIP_SOURCE, b"busy.hip", 0, None, None), "hiprtcCreateProgram")
    check(compiler.hiprtcCompileProgram(program, 0, None), "hiprtcCompileProgram")
    check(compiler.hiprtcGetCodeSize(program, byref(size)), "hiprtcGetCodeSize")
    code = ctypes.create_string_buffer(size.value)
    check(compiler.hiprtcGetCode(program, code), "hiprtcGetCode")
    return code


def hip_module(library):
    """PTX is what the stand-ins take; AMD's runtime gets what hiprtc compiles, which has met no AMD GPU."""
    module = c_void_p()
    say("hipModuleLoadData")
    if library.hipModuleLoadData(byref(module), c_char_p(PTX)) != 0:
        check(library.hipModuleLoadData(byref(module), hip_compiled(library)), "hipModuleLoadData")
    return module


def hip(library):
    call, number = Caller(library), c_int()
    if library.hipInit(0) != 0 or library.hipGetDeviceCount(byref(number)) != 0:
        print("skipped: no AMD GPU answers")
        sys.exit(77)
    call("hipGetDeviceCount", byref(number))
    call("hipSetDevice", 0)
    return stream_calls(call, HIP_NAMES, hip_module(library))


def opencl(library):
    call, count, platform, device, code = Caller(library), c_uint(), c_void_p(), c_void_p(), c_int()
    for function in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel",
                     "clCreateBuffer"):
        getattr(library, function).restype = c_void_p
    if library.clGetPlatformIDs(1, byref(platform), byref(count)) != 0 or not count.value:
        print("skipped: no OpenCL platform is installed")
        sys.exit(77)
    call("clGetDeviceIDs", platform, c_uint64(0xffffffff), 1, byref(device), byref(count))
    context = c_void_p(library.clCreateContext(None, 1, byref(device), None, None, byref(code)))
    check(code.value, "clCreateContext")
    queue = c_void_p(library.clCreateCommandQueue(context, device, c_uint64(0), byref(code)))
    say("clCreateCommandQueue|queue ")
    check(code.value, "clCreateCommandQueue")
    program = c_void_p(library.clCreateProgramWithSource(context, 1, byref(c_char_p(SOURCE)), None, byref(code)))
    call("clBuildProgram", program, 1, byref(device), b"", None, None)
    kernel = c_void_p(library.clCreateKernel(program, b"busy", byref(code)))
    check(code.value, "clCreateKernel")
    memory = c_void_p(library.clCreateBuffer(context, c_uint64(1), c_size_t(4 * COUNT), None, byref(code)))
    say("clCreateBuffer")
    check(code.value, "clCreateBuffer")
    data, steps, items = (c_uint32 * COUNT)(*range(COUNT)), c_uint32(1), c_size_t(COUNT)
    call("clEnqueueWriteBuffer", queue, memory, 1, c_size_t(0), c_size_t(4 * COUNT), data, 0, None, None)
    check(library.clSetKernelArg(kernel, 0, c_size_t(8), byref(memory)), "clSetKernelArg")
    check(library.clSetKernelArg(kernel, 1, c_size_t(4), byref(steps)), "clSetKernelArg")
    call("clEnqueueNDRangeKernel", queue, kernel, 1, None, byref(items), None, 0, None, None)
    call("clFinish", queue)
    call("clEnqueueReadBuffer", queue, memory, 1, c_size_t(0), c_size_t(4 * COUNT), data, 0, None, None)
    call("clReleaseCommandQueue", queue)
    call("clReleaseMemObject", memory)
    return list(data)


def opened(names):
    """The first of these libraries that is here. Raises OSError if none is."""
    for name in names[:-1]:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    return ctypes.CDLL(names[-1])


NAMED_HIP = os.environ.get("XSCHED_HIP_LIB")  # instead of AMD's: a stand-in
CALLS = {"cuda": cuda, "hip": hip, "opencl": opencl}  # each platform's are its own


def libraries_of(platform):
    """The names of the vendor's library, as the platform's folder says."""
    if platform == "hip" and NAMED_HIP:
        return [NAMED_HIP]
    return json.loads((ROOT / "src" / "platform" / platform / "platform.json").read_text())["libraries"]


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in CALLS:
        print(f"skipped: there are calls for {', '.join(CALLS)} here")
        return 77
    calls = CALLS[sys.argv[1]]
    try:
        library = opened(libraries_of(sys.argv[1]))
    except OSError as error:
        print(f"skipped: {error}")
        return 77
    right = calls(library) == expected()
    print(f"result {'right' if right else 'wrong'}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
