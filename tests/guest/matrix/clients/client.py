"""An OpenCL client of the standard library alone: the loader's functions by ctypes."""
import ctypes

SOURCE = b"__kernel void add(__global int* data, int more) { data[get_global_id(0)] += more; }"
SIZE, ROUNDS = 4096, 200
cl = ctypes.CDLL("libOpenCL.so.1")
handle = ctypes.c_void_p
for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel",
             "clCreateBuffer"):
    getattr(cl, name).restype = handle


def demand(result):
    if result != 0:
        raise SystemExit(f"OpenCL: error {result}")


def main():
    platform, device, data = handle(), handle(), (ctypes.c_int * SIZE)(*range(SIZE))
    demand(cl.clGetPlatformIDs(1, ctypes.byref(platform), None))
    demand(cl.clGetDeviceIDs(platform, ctypes.c_uint64(0xFFFFFFFF), 1, ctypes.byref(device), None))
    context = handle(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, None))
    queue = handle(cl.clCreateCommandQueue(context, device, ctypes.c_uint64(0), None))
    program = handle(cl.clCreateProgramWithSource(context, 1, ctypes.byref(ctypes.c_char_p(SOURCE)), None, None))
    demand(cl.clBuildProgram(program, 1, ctypes.byref(device), b"", None, None))
    kernel = handle(cl.clCreateKernel(program, b"add", None))
    buffer = handle(cl.clCreateBuffer(context, ctypes.c_uint64(1 | 32), ctypes.sizeof(data), data, None))
    demand(cl.clSetKernelArg(kernel, 0, ctypes.sizeof(handle), ctypes.byref(buffer)))
    for more in range(ROUNDS):
        demand(cl.clSetKernelArg(kernel, 1, 4, ctypes.byref(ctypes.c_int(more))))
        demand(cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ctypes.byref(ctypes.c_size_t(SIZE)), None, 0, None,
                                         None))
    demand(cl.clEnqueueReadBuffer(queue, buffer, 1, ctypes.c_size_t(0), ctypes.c_size_t(ctypes.sizeof(data)), data, 0,
                                  None, None))
    wanted = [i + ROUNDS * (ROUNDS - 1) // 2 for i in range(SIZE)]
    print("right" if list(data) == wanted else "wrong", sum(data))


main()
