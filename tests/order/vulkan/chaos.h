// Suspends and resumes the program's XQueues at random, through the C API of the libraries that the layer has loaded.
#pragma once

#include <thread>

#include "order/core/chaos.h"
#include "order/vulkan/world.h"

namespace order::vulkan {

class Chaos : public ChaosOf<World> {
public:
    // False, and a message, if the layer is not in this process.
    static bool available();
    Chaos(World& world, uint64_t seed) : ChaosOf(world, seed), thread_([this] { loop(); }) {}
    ~Chaos();  // resumes everything first

private:
    void loop();
    // Makes the call for all queues of the program. Returns how many there were.
    int64_t for_all_queues(const char* name, XResult (*call)(XQueueHandle, int64_t), int64_t flags);
    std::thread thread_;
};

}  // namespace order::vulkan
