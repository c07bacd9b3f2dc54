// The calls of the HIP runtime that launch_cost times: each is the counterpart of CUDA's. One thread; throws
// std::runtime_error with a sentence.
#pragma once

#include "kernel.h"
#include "runtime.h"

namespace busy {

class Calls {
public:
    Calls() {
        check(runtime().hipSetDevice(0), "hipSetDevice");
        kernel_ = load_nothing();
        check(runtime().hipStreamCreateWithFlags(&own_, hip::hipStreamNonBlocking), "hipStreamCreateWithFlags");
        check(runtime().hipEventCreateWithFlags(&event_, hip::hipEventDisableTiming), "hipEventCreateWithFlags");
        check(runtime().hipMalloc(&memory_, 4096), "hipMalloc");
    }

    hip::hipStream_t own() const { return own_; }
    void launch(hip::hipStream_t stream) {
        uint32_t number = 0;
        void* parameters[] = {&memory_, &number};
        check(runtime().hipModuleLaunchKernel(kernel_, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr),
              "hipModuleLaunchKernel");
    }
    // The next two on the own stream.
    void record() { check(runtime().hipEventRecord(event_, own_), "hipEventRecord"); }
    void set() { check(runtime().hipMemsetD8Async(memory_, 1, 4, own_), "hipMemsetD8Async"); }
    void synchronize(hip::hipStream_t stream) { check(runtime().hipStreamSynchronize(stream), "hipStreamSynchronize"); }

private:
    hip::hipFunction_t kernel_ = nullptr;
    hip::hipStream_t own_ = nullptr;
    hip::hipEvent_t event_ = nullptr;
    void* memory_ = nullptr;
};

}  // namespace busy
