// The examples' interface to a platform: a device, streams on it, and kernels of a chosen length that fill the device.
// -DUSE_CUDA, -DUSE_HIP or -DUSE_OPENCL chooses. Ordinary code of that platform; nothing here knows XSched.
//
//   Stream         the platform's own stream or command queue
//   open_device    once per thread that works with streams; ends the program if there is no device
//   make_stream    a stream of its own
//   Work(stream)   memory to work on; one object per stream
//   work.launch    one kernel, not waited for: kSteps, which is about 1 ms on the devices the READMEs speak of
//   work.wait      until all that was launched is complete
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if defined(USE_CUDA)
#include "device_cuda.h"
#elif defined(USE_HIP)
#include "device_hip.h"
#elif defined(USE_OPENCL)
#include "device_opencl.h"
#else
#error "choose a platform: make cuda, make hip or make opencl"
#endif

inline double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A task of the examples: `kernels` kernels, then a wait. Returns how long it took.
inline long run_task(Work& work, int kernels) {
    const double begin = now_ms();
    for (int i = 0; i < kernels; ++i) work.launch();
    work.wait();
    return static_cast<long>(now_ms() - begin + 0.5);
}
