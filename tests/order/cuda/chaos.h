// Suspends and resumes the program's XQueues at random, and changes their priorities and launch thresholds. It uses the
// C API of the libraries that the shim has loaded. Another thread resumes: it makes no CUDA calls, since a driver may
// hold its lock while a copy waits for a suspended stream.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "order/core/chaos.h"
#include "order/cuda/world.h"
#include "order/cuda/xsched_api.h"

namespace order::cuda {

class Chaos : public ChaosOf<World> {
public:
    static bool available();
    Chaos(World& world, uint64_t seed);
    ~Chaos();  // resumes everything first

private:
    struct Suspended {
        StreamPtr stream;
        XQueueHandle queue = 0;
        std::chrono::steady_clock::time_point until;
    };
    void loop();
    void suspend(const StreamPtr& stream, XQueueHandle queue);
    void forget_resumed();
    void resume_loop();
    size_t left_suspended();
    std::atomic<bool> chaos_done_{false};
    std::mutex mutex_;
    std::vector<Suspended> suspended_;  // under mutex_
    std::vector<StreamPtr> resumed_;  // under mutex_
    std::thread resumer_;
    std::thread thread_;
};

}  // namespace order::cuda
