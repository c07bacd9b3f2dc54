// Holds: values of a timeline semaphore, the gate. A batch of ours that waits for the next value stands before a held
// command; signalling that value from the host lets the command start. A submit cannot be taken back, so a hold that is
// dropped opens as well.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/vulkan/hal/hal_abi.h"

namespace xsched::vulkan {

// Creates a timeline semaphore with the value 0; VK_NULL_HANDLE if the driver refuses.
VkSemaphore make_timeline(const XvkDevice& device);

class Gate {
public:
    explicit Gate(const XvkDevice& device) : device_(device) {}
    // Returns false if the driver refuses.
    bool begin();
    // Waits for a signal under way. From then on the driver is left alone.
    void end();

    uint64_t next() { return made_.fetch_add(1, std::memory_order_relaxed) + 1; }
    // Signals a value. A value that is less than the last one was signalled with it.
    void open(uint64_t value);
    VkSemaphore semaphore() const { return semaphore_; }

private:
    const XvkDevice& device_;
    VkSemaphore semaphore_ = VK_NULL_HANDLE;
    std::atomic<uint64_t> made_{0};
    std::atomic<uint64_t> wanted_{0};
    std::atomic<bool> signalling_{false};  // a thread is at it, and looks again at `wanted_` before it leaves
    std::atomic<bool> ended_{false};
    uint64_t opened_ = 0;  // of the thread that is signalling
};

struct Hold {
    Gate* gate;
    uint64_t value;
};

}  // namespace xsched::vulkan
