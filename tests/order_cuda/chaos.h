// Suspends and resumes the program's XQueues at random, and changes their priorities and launch thresholds, through the
// C API of the libraries that the shim has loaded.
#pragma once

#include <atomic>
#include <thread>

#include "order_cuda/world.h"

namespace order::cuda {

class Chaos {
public:
    // False, and a message, if the C API is not loaded in this process.
    static bool available();
    Chaos(World& world, uint64_t seed);
    ~Chaos();  // resumes everything first
    Chaos(const Chaos&) = delete;
    Chaos& operator=(const Chaos&) = delete;
    int64_t suspensions() const { return suspensions_.load(); }

private:
    void loop();
    World& world_;
    Random random_;
    std::atomic<bool> stop_{false};
    std::atomic<int64_t> suspensions_{0};
    std::thread thread_;
};

}  // namespace order::cuda
