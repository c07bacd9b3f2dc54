// Suspends and resumes the XQueues of the command queues and of all lists at random, through the C API of the libraries
// that the shim has loaded.
#pragma once

#include <thread>

#include "order/core/chaos.h"
#include "order/levelzero/world.h"

namespace order::levelzero {

class Chaos : public ChaosOf<World> {
public:
    // False, and a message, if the shim is not in this process.
    static bool available();
    Chaos(World& world, uint64_t seed) : ChaosOf(world, seed), thread_([this] { loop(); }) {}
    ~Chaos();  // resumes everything first

private:
    void loop();
    std::thread thread_;
};

}  // namespace order::levelzero
