// A stream that a thread of its own keeps busy, and its XQueue at preempt level 3. Needs the shim in the process.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>

#include "program.h"

namespace program {

// XSched's C interface, of the library that the shim has loaded.
template <typename Function>
Function* of(const char* library, const char* name) {
    void* loaded = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    void* found = loaded != nullptr ? dlsym(loaded, name) : nullptr;
    if (found == nullptr) throw std::runtime_error(std::string(name) + " is missing: is the shim preloaded?");
    return reinterpret_cast<Function*>(found);
}
inline constexpr const char* kXSched = "libpreempt.so.1";

inline void suspend(uint64_t queue) {
    if (of<int(uint64_t, int64_t)>(kXSched, "XQueueSuspend")(queue, 0) != 0)
        throw std::runtime_error("XQueueSuspend failed");
}
inline void resume(uint64_t queue) {
    if (of<int(uint64_t, int64_t)>(kXSched, "XQueueResume")(queue, 0) != 0)
        throw std::runtime_error("XQueueResume failed");
}

// The XQueue of a stream that has launched.
inline uint64_t queue_of(hipStream_t stream) {
    uint64_t wrapped = 0, queue = 0;
    const auto result = of<int(uint64_t*, hipStream_t)>("libhalhip.so.1", "HipQueueGet")(&wrapped, stream);
    if (result != 0 || of<int(uint64_t*, uint64_t)>(kXSched, "XQueueGet")(&queue, wrapped) != 0)
        throw std::runtime_error("the stream has no XQueue");
    return queue;
}
inline void set_level(uint64_t queue, int level) {
    if (of<int(uint64_t, int64_t)>(kXSched, "XQueueSetPreemptLevel")(queue, level) != 0)
        throw std::runtime_error("its XQueue has no such level");
}

// Works on the current device. Its kernels take so long that most suspensions come within one.
class Worker {
public:
    explicit Worker(hipFunction_t spin) : spin_(spin) {
        CHECK(hipGetDevice(&device_));
        CHECK(hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking));
        CHECK(hipHostMalloc(reinterpret_cast<void**>(&ran_), sizeof *ran_, hipHostMallocDefault));
        *ran_ = 0;
        burst();
        queue_ = queue_of(stream_);
        set_level(queue_, kLevel);
        thread_ = std::thread([this] { work(); });
    }
    void end() {
        ends_ = true;
        thread_.join();
    }
    uint64_t queue() const { return queue_; }
    // Kernels that have ended.
    uint64_t ran() const { return __atomic_load_n(ran_, __ATOMIC_ACQUIRE); }
    uint64_t launched() const { return launched_; }
    const std::string& complaint() const { return complaint_; }

    // Returns whether the worker runs `kernels` more kernels than `from` within 5 s, or has stopped with a complaint.
    bool gets_on(uint64_t from, uint64_t kernels = 1) const {
        for (int i = 0; i < kStuckMs * 10; ++i) {
            if (ran() >= from + kernels || !complaint_.empty()) return true;
            usleep(100);
        }
        return false;
    }

private:
    static constexpr unsigned kBlocks = 304, kThreads = 256;
    static constexpr unsigned long kKernelNs = 1'000'000;
    static constexpr int kKernels = 4;  // of a burst
    static constexpr int kStuckMs = 5000;
    static constexpr int kLevel = 3;

    void burst() {
        unsigned long ns = kKernelNs;
        void* arguments[] = {&ns, &ran_};
        for (int i = 0; i < kKernels; ++i, ++launched_)
            CHECK(hipModuleLaunchKernel(spin_, kBlocks, 1, 1, kThreads, 1, 1, 0, stream_, arguments, nullptr));
        CHECK(hipStreamSynchronize(stream_));
    }
    void work() {
        try {
            CHECK(hipSetDevice(device_));
            while (!ends_) burst();
        } catch (const std::exception& error) {
            complaint_ = error.what();
        }
    }

    hipFunction_t spin_;
    int device_ = 0;
    hipStream_t stream_ = nullptr;
    uint64_t* ran_ = nullptr;
    uint64_t queue_ = 0;
    uint64_t launched_ = 0;
    std::atomic<bool> ends_{false};
    std::string complaint_;
    std::thread thread_;
};

}  // namespace program
