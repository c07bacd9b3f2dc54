// The examples' device.h on OpenCL.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

using Stream = cl_command_queue;

inline void check(cl_int result, const char* call) {
    if (result == CL_SUCCESS) return;
    fprintf(stderr, "%s failed with OpenCL error %d\n", call, result);
    exit(1);
}
#define CHECK(call) check(call, #call)

// Each work-item steps a number `steps` times.
inline const char* kKernel = R"(
kernel void busy(global uint* numbers, uint steps) {
    uint x = numbers[get_global_id(0)];
    for (uint left = steps; left > 0; --left) x = x * 1664525u + 1013904223u;
    numbers[get_global_id(0)] = x;
})";

constexpr cl_uint kSteps = 1000;

inline cl_device_id g_device = nullptr;
inline cl_context g_context = nullptr;
inline cl_program g_program = nullptr;

inline void open_device() {
    if (g_context != nullptr) return;
    cl_platform_id platform = nullptr;
    cl_int result = CL_SUCCESS;
    CHECK(clGetPlatformIDs(1, &platform, nullptr));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &g_device, nullptr));
    g_context = clCreateContext(nullptr, 1, &g_device, nullptr, nullptr, &result);
    check(result, "clCreateContext");
    g_program = clCreateProgramWithSource(g_context, 1, &kKernel, nullptr, &result);
    check(result, "clCreateProgramWithSource");
    CHECK(clBuildProgram(g_program, 1, &g_device, "", nullptr, nullptr));
}

inline Stream make_stream() {
    cl_int result = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueueWithProperties(g_context, g_device, nullptr, &result);
    check(result, "clCreateCommandQueueWithProperties");
    return queue;
}

class Work {
public:
    explicit Work(Stream stream) : stream_(stream) {
        cl_int result = CL_SUCCESS;
        cl_uint processors = 0;
        CHECK(clGetDeviceInfo(g_device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof processors, &processors, nullptr));
        items_ = kGroup * 8 * processors;
        kernel_ = clCreateKernel(g_program, "busy", &result);
        check(result, "clCreateKernel");
        numbers_ = clCreateBuffer(g_context, CL_MEM_READ_WRITE, items_ * sizeof(uint32_t), nullptr, &result);
        check(result, "clCreateBuffer");
        const uint32_t one = 1;
        CHECK(clEnqueueFillBuffer(stream_, numbers_, &one, sizeof one, 0, items_ * sizeof one, 0, nullptr, nullptr));
        CHECK(clSetKernelArg(kernel_, 0, sizeof numbers_, &numbers_));
        CHECK(clSetKernelArg(kernel_, 1, sizeof kSteps, &kSteps));
        wait();
    }
    void launch() {
        CHECK(clEnqueueNDRangeKernel(stream_, kernel_, 1, nullptr, &items_, &kGroup, 0, nullptr, nullptr));
    }
    void wait() { CHECK(clFinish(stream_)); }

private:
    static constexpr size_t kGroup = 64;
    Stream stream_;
    cl_kernel kernel_ = nullptr;
    cl_mem numbers_ = nullptr;
    size_t items_ = 0;
};
