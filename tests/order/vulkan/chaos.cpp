#include "order/vulkan/chaos.h"

#include <chrono>

#include "order/core/report.h"

namespace order::vulkan {
namespace {

// Mostly none: with the other one there is nothing left to hold back when it returns.
int64_t random_flags(Random& random) {
    return random.once_in(16) ? int64_t{kQueueSuspendFlagSyncHwQueue} : int64_t{kQueueSuspendFlagNone};
}

}  // namespace

// The layer comes with the first instance, and stays.
bool Chaos::available() {
    const compute::Device first;
    return say_whether(xsched().complete(), "XSched's Vulkan layer");
}

Chaos::~Chaos() {
    stop_ = true;
    thread_.join();
}

// All queues are suspended and resumed together, as a scheduler does: work of one may wait for that of another.
void Chaos::loop() {
    const Activity activity("chaos");
    while (!stop_.load()) {
        const int64_t flags = random_flags(random_);
        for (uint32_t i = 0; i < world_.device.queues(); ++i) {
            const XQueueHandle handle = xsched().queue_of(world_.device.queue(i));
            if (handle == 0) continue;
            Activity::set("XQueueSuspend");
            const XResult result = xsched().XQueueSuspend(handle, flags);
            if (result != kXSchedSuccess) violation("XQueueSuspend returned %d", result);
            suspensions_.fetch_add(1);
        }
        Activity::set("sleeping");
        std::this_thread::sleep_for(std::chrono::microseconds(20 + random_.below(random_.once_in(50) ? 5000 : 300)));
        for (uint32_t i = 0; i < world_.device.queues(); ++i) {
            const XQueueHandle handle = xsched().queue_of(world_.device.queue(i));
            if (handle == 0) continue;
            Activity::set("XQueueResume");
            const XResult result = xsched().XQueueResume(handle, kQueueResumeFlagNone);
            if (result != kXSchedSuccess) violation("XQueueResume returned %d", result);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(random_.below(300)));
    }
}

}  // namespace order::vulkan
