#include "order/vulkan/chaos.h"

#include <chrono>

#include "order/core/report.h"

namespace order::vulkan {
namespace {

// Returns random flags for a suspension. Most suspensions do not wait: after one that waits for the queue's work,
// nothing is left to be held back.
int64_t random_flags(Random& random) {
    return random.once_in(16) ? int64_t{kQueueSuspendFlagSyncHwQueue} : int64_t{kQueueSuspendFlagNone};
}

}  // namespace

// Returns whether XSched's layer is in this process. A first instance is made here, since the layer is loaded with it
// and stays.
bool Chaos::available() {
    const compute::Device first;
    return say_whether(xsched().complete(), "XSched's Vulkan layer");
}

Chaos::~Chaos() {
    stop_ = true;
    thread_.join();
}

int64_t Chaos::for_all_queues(const char* name, XResult (*call)(XQueueHandle, int64_t), int64_t flags) {
    int64_t calls = 0;
    for (uint32_t i = 0; i < world_.device.queues(); ++i) {
        const XQueueHandle handle = xsched().queue_of(world_.device.queue(i));
        if (handle == 0) continue;
        Activity::set(name);
        const XResult result = call(handle, flags);
        if (result != kXSchedSuccess) violation("%s returned %d", name, result);
        ++calls;
    }
    return calls;
}

// All queues are suspended and resumed together, as a scheduler does: work of one may wait for that of another.
void Chaos::loop() {
    const Activity activity("chaos");
    while (!stop_.load()) {
        const int64_t flags = random_flags(random_);
        suspensions_ += for_all_queues("XQueueSuspend", xsched().XQueueSuspend, flags);
        Activity::set("sleeping");
        std::this_thread::sleep_for(std::chrono::microseconds(20 + random_.below(random_.once_in(50) ? 5000 : 300)));
        for_all_queues("XQueueResume", xsched().XQueueResume, kQueueResumeFlagNone);
        std::this_thread::sleep_for(std::chrono::microseconds(random_.below(300)));
    }
}

}  // namespace order::vulkan
