// One Vulkan device, its queues, and the locks with which threads take turns at each: Vulkan demands that a queue's
// calls come one after the other.
#pragma once

#include <array>
#include <mutex>
#include <string>
#include <vector>

#include "compute.h"
#include "order/core/sequential.h"
#include "order/core/xsched_api.h"

namespace order::vulkan {

constexpr uint32_t kMostQueues = 4;

inline constexpr XSchedOnDemand<VkQueue> xsched{"libhalvulkan.so.1", "Vulkan"};

struct World : SequentialWorld {
    explicit World(const Options&) : device({.queues = kMostQueues}), name(device.name()) {}

    compute::Device device;
    std::array<std::mutex, kMostQueues> turns;
    const std::string name;

    // For ChaosTogether.
    static constexpr bool kQueuesStay = true;
    // The layer comes with the first instance, and stays.
    static bool chaos_available() {
        const compute::Device first;
        return say_whether(xsched().complete(), "XSched's Vulkan layer");
    }
    // Mostly none: with the other one there is nothing left to hold back when it returns.
    static int64_t suspend_flags(Random& random) {
        return random.once_in(16) ? int64_t{kQueueSuspendFlagSyncHwQueue} : int64_t{kQueueSuspendFlagNone};
    }
    std::vector<XQueueHandle> xqueues() const {
        std::vector<VkQueue> all;
        for (uint32_t i = 0; i < device.queues(); ++i) all.push_back(device.queue(i));
        return xsched().queues_of(all);
    }
};

// A timeline that the host signals a little later.
struct Signal {
    VkDevice device;
    VkSemaphore timeline;
    uint64_t value;

    static void perform(const Signal& it, Random& random);
};
using Signaller = Later<Signal, Signal>;
using Chaos = ChaosTogether<World, xsched>;

}  // namespace order::vulkan
