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
        for (CuStream& stream : streams_) check(driver().cuStreamCreate(&stream, kStreamNonBlocking), "cuStreamCreate");
        check(driver().cuEventCreate(&event_, kEventDisableTiming), "cuEventCreate");
        check(driver().cuMemAlloc(&memory_, 4096), "cuMemAlloc");
    }

    CuStream own() const { return streams_[0]; }
    // Returns the four streams in turn, the program's own() among them.
    CuStream next() { return streams_[++last_ % kStreams]; }
    void launch(CuStream stream) {
        uint32_t number = 0;
        void* parameters[] = {&memory_, &number};
        check(driver().cuLaunchKernel(kernel_, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr), "cuLaunchKernel");
    }
    // The following calls use own(): record an event, let the stream wait for the recorded event, query both, set
    // memory, and synchronize.
    void record() { check(driver().cuEventRecord(event_, own()), "cuEventRecord"); }
    void wait() { check(driver().cuStreamWaitEvent(own(), event_, 0), "cuStreamWaitEvent"); }
    void query() { check(driver().cuStreamQuery(own()), "cuStreamQuery"); }
    void query_event() { check(driver().cuEventQuery(event_), "cuEventQuery"); }
    void set() { check(driver().cuMemsetD8Async(memory_, 1, 4, own()), "cuMemsetD8Async"); }
    void synchronize(CuStream stream) { check(driver().cuStreamSynchronize(stream), "cuStreamSynchronize"); }
    void synchronize_all() {
        synchronize(nullptr);
        for (CuStream stream : streams_) synchronize(stream);
    }

private:
    CuFunction kernel_ = nullptr;
    static constexpr unsigned kStreams = 4;
    CuStream streams_[kStreams] = {};
    unsigned last_ = 0;
    CuEvent event_ = nullptr;
    CuPointer memory_ = 0;
};

}  // namespace busy
