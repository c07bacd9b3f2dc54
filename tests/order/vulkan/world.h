// One Vulkan device, its queues, and the locks with which threads take turns at each: Vulkan demands that a queue's
// calls come one after the other.
#pragma once

#include <array>
#include <mutex>
#include <string>

#include "compute.h"
#include "order/core/later.h"
#include "order/core/options.h"
#include "order/core/xsched_api.h"

namespace order::vulkan {

constexpr uint32_t kMostQueues = 4;

inline const XSched<VkQueue>& xsched() {
    static const XSched<VkQueue> it("libhalvulkan.so.1", "Vulkan");
    return it;
}

struct World {
    explicit World(const Options&) : device({.queues = kMostQueues}), name(device.name()) {}
    void check_buffers() const {}  // the workers have done that

    compute::Device device;
    std::array<std::mutex, kMostQueues> turns;
    const std::string name;
};

// A timeline that the host signals a little later.
struct Signal {
    VkDevice device;
    VkSemaphore timeline;
    uint64_t value;

    static void perform(const Signal& it, Random& random);
};
using Signaller = Later<Signal, Signal>;

}  // namespace order::vulkan
