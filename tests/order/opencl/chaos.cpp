#include "order/opencl/chaos.h"

#include <chrono>
#include <deque>

#include "order/core/report.h"
#include "order/opencl/xsched_api.h"

namespace order::opencl {
namespace {

constexpr size_t kMostSuspended = 4;

// A queue that was suspended at random. The program may release the queue meanwhile; then resuming must still run the
// commands that were held back.
struct Suspended {
    std::weak_ptr<Queue> queue;
    XQueueHandle handle;
};

void resume(const Suspended& it) {
    Activity::set("XQueueResume");
    const QueuePtr alive = it.queue.lock();
    const XResult result = xsched().XQueueResume(it.handle, kQueueResumeFlagNone);
    const bool gone = result == kXSchedErrorNotFound && !alive;
    if (result != kXSchedSuccess && !gone) violation("XQueueResume returned %d", result);
}

struct Flags {
    int64_t bits;
    const char* activity;
};
// Returns random flags for a suspension. Most suspensions do not wait: after one that waits for the queue's work,
// nothing is left to be held back.
Flags random_flags(Random& random) {
    if (random.once_in(16)) return {kQueueSuspendFlagSyncHwQueue, "XQueueSuspend (synchronizing)"};
    if (random.once_in(32)) return {kQueueSuspendFlagWaitAll, "XQueueSuspend (wait all)"};
    if (random.once_in(64)) return {kQueueSuspendFlagWaitIdle, "XQueueSuspend (wait idle)"};
    return {kQueueSuspendFlagNone, "XQueueSuspend"};
}

}  // namespace

bool Chaos::available() { return say_whether(xsched().complete(), "libshimopencl.so"); }

Chaos::Chaos(World& world, uint64_t seed)
    : ChaosOf(world, seed), thread_([this](const std::stop_token& stop) { loop(stop); }) {}

void Chaos::loop(const std::stop_token& stop) {
    const Activity activity("chaos");
    std::deque<Suspended> suspended;
    while (!stop.stop_requested()) {
        QueuePtr queue = any_context().queue(random_);
        if (const XQueueHandle handle = xsched().queue_of(queue->handle); handle != 0) {
            const Flags flags = random_flags(random_);
            // Before a suspension that waits for work, all other queues are resumed: the work may wait for theirs.
            while (flags.bits != kQueueSuspendFlagNone && !suspended.empty()) {
                resume(suspended.front());
                suspended.pop_front();
            }
            Activity::set(flags.activity);
            const XResult result = xsched().XQueueSuspend(handle, flags.bits);
            if (result != kXSchedSuccess) violation("XQueueSuspend returned %d", result);
            suspended.push_back({queue, handle});
            suspensions_.fetch_add(1);
        }
        queue.reset();
        Activity::set("sleeping");
        std::this_thread::sleep_for(std::chrono::microseconds(20 + random_.below(random_.once_in(50) ? 5000 : 300)));
        while (suspended.size() > kMostSuspended || (!suspended.empty() && random_.once_in(2))) {
            resume(suspended.front());
            suspended.pop_front();
        }
    }
    for (const Suspended& it : suspended) resume(it);
}

}  // namespace order::opencl
