// The HIP runtime as programs/stream/busy_device.cpp calls it, on the first device. Functions throw std::runtime_error
// with a sentence if HIP fails. Any thread that has called use_device().
#pragma once

#include "kernel.h"
#include "runtime.h"

namespace busy::vendor {

using Stream = hip::hipStream_t;
using Event = hip::hipEvent_t;
using Kernel = hip::hipFunction_t;
using Memory = void*;
inline constexpr const char* kHalLibrary = "libhalhip.so.1";
inline constexpr const char* kHwQueueGet = "HipQueueGet";
inline constexpr int kDevice = 0;

inline void use_device() { check(runtime().hipSetDevice(kDevice), "hipSetDevice"); }
inline unsigned attribute(int which) {
    int value = 0;
    check(runtime().hipDeviceGetAttribute(&value, which, kDevice), "hipDeviceGetAttribute");
    return static_cast<unsigned>(value);
}
inline std::string description() {
    char name[256] = "";
    check(runtime().hipDeviceGetName(name, sizeof(name) - 1, kDevice), "hipDeviceGetName");
    return std::string(name) + "; AMD; " + runtime_version();
}

// The module stays: it is the process's.
inline Kernel load_busy() { return busy::load_busy(); }
inline void launch(Kernel kernel, unsigned blocks, unsigned threads, Stream stream, void** parameters) {
    check(runtime().hipModuleLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, nullptr),
          "hipModuleLaunchKernel");
}

inline Memory allocate(size_t bytes) {
    void* memory = nullptr;
    check(runtime().hipMalloc(&memory, bytes), "hipMalloc");
    return memory;
}
inline void copy_in(Memory to, const void* from, size_t bytes) {
    check(runtime().hipMemcpyHtoD(to, const_cast<void*>(from), bytes), "hipMemcpyHtoD");
}
inline void copy_out(void* to, Memory from, size_t bytes) {
    check(runtime().hipMemcpyDtoH(to, from, bytes), "hipMemcpyDtoH");
}
inline void release(Memory memory) { runtime().hipFree(memory); }

inline Stream make_stream() {
    hip::hipStream_t stream = nullptr;
    check(runtime().hipStreamCreateWithFlags(&stream, hip::hipStreamNonBlocking), "hipStreamCreateWithFlags");
    return stream;
}
// With the greatest or the least priority.
inline Stream make_stream(bool urgent) {
    hip::hipStream_t stream = nullptr;
    int least = 0, greatest = 0;
    check(runtime().hipDeviceGetStreamPriorityRange(&least, &greatest), "hipDeviceGetStreamPriorityRange");
    check(runtime().hipStreamCreateWithPriority(&stream, hip::hipStreamNonBlocking, urgent ? greatest : least),
          "hipStreamCreateWithPriority");
    return stream;
}

inline Event make_event(bool timed) {
    hip::hipEvent_t event = nullptr;
    check(runtime().hipEventCreateWithFlags(&event, timed ? kEventDefault : unsigned{hip::hipEventDisableTiming}),
          "hipEventCreateWithFlags");
    return event;
}

}  // namespace busy::vendor

#define BUSY_FUNCTION(name) runtime().hip##name
#define BUSY_PREFIX "hip"
#include "stream_calls.h"
