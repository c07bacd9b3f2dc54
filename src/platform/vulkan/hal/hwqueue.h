// The Vulkan side of an XQueue: what device.h asks of hardware, with two timeline semaphores. The gate holds commands
// back (hold.h). Level 3 is NVIDIA's (interruption.h). The other one, `done`, rises behind each of the program's calls.
//
// Vulkan has no callbacks. Each call of the program that submits or waits looks at `done`. A thread of ours does the
// rest: while another program may compete it sleeps in the driver until the oldest command is complete; otherwise it
// looks now and then, and sleeps for good while nothing is launched.
#pragma once

#include <atomic>

#include "base/futex.h"
#include "base/thread.h"
#include "platform/vulkan/hal/hal_abi.h"
#include "platform/vulkan/hal/hold.h"
#include "platform/vulkan/hal/interruption.h"
#include "platform/vulkan/hal/reports.h"

namespace xsched::vulkan {

class HwQueue : base::NoCopies {
public:
    // Returns nullptr if the driver refuses a semaphore, or the system a thread.
    static HwQueue* create(const XvkDevice& device, VkQueue queue);
    ~HwQueue() { end(); }

    void serve(XqQueue* xqueue) { xqueue_.store(xqueue, std::memory_order_release); }
    XvkOperation next_signal();
    void launched(uint64_t value, XqToken token);
    void look();
    XResult synchronize();
    // Reports `token` when all that was launched is complete.
    void mark(XqToken token) { launched(launched_.load(), token); }
    void end();

    Gate& gate() { return gate_; }
    Interruption& interruption() { return interruption_; }

private:
    HwQueue(const XvkDevice& device, VkQueue queue) : device_(device), queue_(queue), gate_(device) {}
    static void* watch_body(void* self);
    void watch();
    void sleep_until_launched(uint32_t seen);
    bool wait_for(uint64_t value, int64_t patience_ns);
    bool followed();

    const XvkDevice& device_;
    const VkQueue queue_;
    Gate gate_;
    Interruption interruption_;
    VkSemaphore done_ = VK_NULL_HANDLE;
    std::atomic<uint64_t> signals_{0};  // values handed out
    std::atomic<uint64_t> launched_{0};  // the last value that the driver has got
    Reports reports_;
    std::atomic<XqQueue*> xqueue_{nullptr};
    std::atomic<bool> ended_{false};
    std::atomic<bool> asleep_{false};
    std::atomic<uint32_t> looking_{0};  // threads that use `done_`
    base::FutexWord wake_{0};
    base::Thread thread_;
    uint32_t generation_ = 0;  // of the process that started the thread
};

const XqDeviceOps* device_ops(HwQueue& hwq);

}  // namespace xsched::vulkan
