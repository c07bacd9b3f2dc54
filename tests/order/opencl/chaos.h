// Suspends and resumes the program's XQueues at random, through the C API of the libraries that a shim has loaded.
#pragma once

#include <stop_token>
#include <thread>

#include "order/core/chaos.h"
#include "order/opencl/world.h"

namespace order::opencl {

class Chaos : public ChaosOf<World> {
public:
    static bool available();
    Chaos(World& world, uint64_t seed);

private:
    void loop(const std::stop_token& stop);
    std::jthread thread_;  // resumes everything at its end
};

}  // namespace order::opencl
