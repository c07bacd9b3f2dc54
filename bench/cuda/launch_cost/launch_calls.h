// The calls of the CUDA driver that launch_cost times. One thread; throws std::runtime_error with a sentence.
#pragma once

#include "driver.h"
#include "nothing_kernel.h"

namespace busy {

class Calls {
public:
    Calls() {
        CuDevice device = 0;
        CuContext context = nullptr;
        CuModule module = nullptr;
        check(driver().cuDeviceGet(&device, 0), "cuDeviceGet");
        check(driver().cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
        check(driver().cuCtxSetCurrent(context), "cuCtxSetCurrent");
        check(driver().cuModuleLoadData(&module, kNothingPtx), "cuModuleLoadData");
        check(driver().cuModuleGetFunction(&kernel_, module, "nothing"), "cuModuleGetFunction");
        check(driver().cuStreamCreate(&own_, kStreamNonBlocking), "cuStreamCreate");
        check(driver().cuEventCreate(&event_, kEventDisableTiming), "cuEventCreate");
        check(driver().cuMemAlloc(&memory_, 4096), "cuMemAlloc");
    }

    CuStream own() const { return own_; }
    void launch(CuStream stream) {
        uint32_t number = 0;
        void* parameters[] = {&memory_, &number};
        check(driver().cuLaunchKernel(kernel_, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr), "cuLaunchKernel");
    }
    // The next two on the own stream.
    void record() { check(driver().cuEventRecord(event_, own_), "cuEventRecord"); }
    void set() { check(driver().cuMemsetD8Async(memory_, 1, 4, own_), "cuMemsetD8Async"); }
    void synchronize(CuStream stream) { check(driver().cuStreamSynchronize(stream), "cuStreamSynchronize"); }

private:
    CuFunction kernel_ = nullptr;
    CuStream own_ = nullptr;
    CuEvent event_ = nullptr;
    CuPointer memory_ = 0;
};

}  // namespace busy
