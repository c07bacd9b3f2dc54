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
        for (hip::hipStream_t& stream : streams_)
            check(runtime().hipStreamCreateWithFlags(&stream, hip::hipStreamNonBlocking), "hipStreamCreateWithFlags");
        check(runtime().hipEventCreateWithFlags(&event_, hip::hipEventDisableTiming), "hipEventCreateWithFlags");
        check(runtime().hipMalloc(&memory_, 4096), "hipMalloc");
    }

    hip::hipStream_t own() const { return streams_[0]; }
    hip::hipStream_t next() { return streams_[++last_ % kStreams]; }
    void launch(hip::hipStream_t stream) {
        uint32_t number = 0;
        void* parameters[] = {&memory_, &number};
        check(runtime().hipModuleLaunchKernel(kernel_, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr),
              "hipModuleLaunchKernel");
    }
    // The following calls use own(): record an event, let the stream wait for the recorded event, query both, set
    // memory, and synchronize.
    void record() { check(runtime().hipEventRecord(event_, own()), "hipEventRecord"); }
    void wait() { check(runtime().hipStreamWaitEvent(own(), event_, 0), "hipStreamWaitEvent"); }
    void query() { check(runtime().hipStreamQuery(own()), "hipStreamQuery"); }
    void query_event() { check(runtime().hipEventQuery(event_), "hipEventQuery"); }
    void set() { check(runtime().hipMemsetD8Async(memory_, 1, 4, own()), "hipMemsetD8Async"); }
    void synchronize(hip::hipStream_t stream) { check(runtime().hipStreamSynchronize(stream), "hipStreamSynchronize"); }
    void synchronize_all() {
        synchronize(nullptr);
        for (hip::hipStream_t stream : streams_) synchronize(stream);
    }

private:
    hip::hipFunction_t kernel_ = nullptr;
    static constexpr unsigned kStreams = 4;
    hip::hipStream_t streams_[kStreams] = {};
    unsigned last_ = 0;
    hip::hipEvent_t event_ = nullptr;
    void* memory_ = nullptr;
};

}  // namespace busy
