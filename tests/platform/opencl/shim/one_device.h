// A context and 64 bytes of memory on the first device that OpenCL finds: what a program has before its first queue.
// Include it after the CL_ macros.
#pragma once

#include <CL/cl.h>

struct OneDevice {
    OneDevice() {
        cl_platform_id platform = nullptr;
        if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
            clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
            return;
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
        buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, nullptr, nullptr);
    }
    bool good() const { return buffer != nullptr; }
    cl_command_queue make_queue() const { return clCreateCommandQueue(context, device, 0, nullptr); }

    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_mem buffer = nullptr;
};
