// The CUDA driver as programs/stream/busy_device.cpp calls it, on the first device. Functions throw std::runtime_error
// with a sentence if CUDA fails. Any thread that has called use_device().
#pragma once

#include "busy_kernel.h"
#include "driver.h"

namespace busy::vendor {

using Stream = CuStream;
using Event = CuEvent;
using Kernel = CuFunction;
using Memory = CuPointer;
inline constexpr const char* kHalLibrary = "libhalcuda.so.1";
inline constexpr const char* kHwQueueGet = "CudaQueueGet";

inline CuDevice device() {
    CuDevice found = 0;
    check(driver().cuDeviceGet(&found, 0), "cuDeviceGet");
    return found;
}
inline CuContext retain_context() {
    CuContext context = nullptr;
    check(driver().cuDevicePrimaryCtxRetain(&context, device()), "cuDevicePrimaryCtxRetain");
    return context;
}
// The context stays: it is the process's.
inline void use_device() {
    static const CuContext context = retain_context();
    check(driver().cuCtxSetCurrent(context), "cuCtxSetCurrent");
}
inline unsigned attribute(int which) {
    int value = 0;
    check(driver().cuDeviceGetAttribute(&value, which, device()), "cuDeviceGetAttribute");
    return static_cast<unsigned>(value);
}
inline std::string description() {
    char name[256] = "";
    check(driver().cuDeviceGetName(name, sizeof(name) - 1, device()), "cuDeviceGetName");
    return std::string(name) + "; NVIDIA; " + driver_version();
}

inline Kernel load_busy() {
    CuModule module = nullptr;
    CuFunction kernel = nullptr;
    check(driver().cuModuleLoadData(&module, kBusyPtx), "cuModuleLoadData");
    check(driver().cuModuleGetFunction(&kernel, module, "busy"), "cuModuleGetFunction");
    return kernel;
}
inline void launch(Kernel kernel, unsigned blocks, unsigned threads, Stream stream, void** parameters) {
    check(driver().cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, nullptr),
          "cuLaunchKernel");
}

inline Memory allocate(size_t bytes) {
    CuPointer memory = 0;
    check(driver().cuMemAlloc(&memory, bytes), "cuMemAlloc");
    return memory;
}
inline void copy_in(Memory to, const void* from, size_t bytes) {
    check(driver().cuMemcpyHtoD(to, from, bytes), "cuMemcpyHtoD");
}
inline void copy_out(void* to, Memory from, size_t bytes) {
    check(driver().cuMemcpyDtoH(to, from, bytes), "cuMemcpyDtoH");
}
inline void release(Memory memory) { driver().cuMemFree(memory); }

inline Stream make_stream() {
    CuStream stream = nullptr;
    check(driver().cuStreamCreate(&stream, kStreamNonBlocking), "cuStreamCreate");
    return stream;
}
// With the greatest or the least priority.
inline Stream make_stream(bool urgent) {
    CuStream stream = nullptr;
    int least = 0, greatest = 0;
    check(driver().cuCtxGetStreamPriorityRange(&least, &greatest), "cuCtxGetStreamPriorityRange");
    check(driver().cuStreamCreateWithPriority(&stream, kStreamNonBlocking, urgent ? greatest : least),
          "cuStreamCreateWithPriority");
    return stream;
}

inline Event make_event(bool timed) {
    CuEvent event = nullptr;
    check(driver().cuEventCreate(&event, timed ? kEventDefault : kEventDisableTiming), "cuEventCreate");
    return event;
}

}  // namespace busy::vendor

#define BUSY_FUNCTION(name) driver().cu##name
#define BUSY_PREFIX "cu"
#include "stream_calls.h"
