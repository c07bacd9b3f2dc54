#include "order_cuda/chaos.h"

#include <chrono>
#include <cstdio>
#include <deque>
#include <shared_mutex>

#include "order/report.h"
#include "order_cuda/xsched_api.h"

namespace order::cuda {
namespace {

using ::cuda::xsched;

constexpr size_t kMostSuspended = 4;

struct Suspended {
    StreamPtr stream;
    XQueueHandle queue;
};

void expect(XResult result, const char* call) {
    if (result != kXSchedSuccess) violation("%s returned %d", call, static_cast<int>(result));
}

void resume(const Suspended& it) {
    Activity::set("XQueueResume");
    expect(xsched().XQueueResume(it.queue, kQueueResumeFlagNone), "XQueueResume");
}

}  // namespace

bool Chaos::available() {
    if (xsched().complete()) return true;
    std::fprintf(stderr,
                 "order_check_cuda: --chaos needs the XSched libraries in the process; load libshimcuda.so with "
                 "LD_PRELOAD\n");
    return false;
}

Chaos::Chaos(World& world, uint64_t seed) : world_(world), random_(seed), thread_([this] { loop(); }) {}

Chaos::~Chaos() {
    stop_ = true;
    thread_.join();
}

void Chaos::loop() {
    const Activity activity("chaos");
    std::deque<Suspended> suspended;
    while (!stop_.load()) {
        Context& context = *world_.contexts[random_.below(static_cast<uint32_t>(world_.contexts.size()))];
        const StreamPtr stream = context.any_stream(random_);
        XQueueHandle queue = 0;
        {
            const InContext inside(context);
            queue = xsched().queue_of(stream->handle);
        }
        if (queue != 0) {
            // A synchronizing suspend waits for work that may wait for the other queues: they must run meanwhile.
            const bool synchronize = random_.once_in(32);
            while (synchronize && !suspended.empty()) {
                resume(suspended.front());
                suspended.pop_front();
            }
            Activity::set(synchronize ? "XQueueSuspend (synchronizing)" : "XQueueSuspend");
            std::shared_lock<std::shared_mutex> unsafe;
            if (synchronize) unsafe = std::shared_lock(unsafe_calls());
            expect(xsched().XQueueSuspend(queue, synchronize ? kQueueSuspendFlagSyncHwQueue : kQueueSuspendFlagNone),
                   "XQueueSuspend");
            if (synchronize) unsafe.unlock();
            suspended.push_back({stream, queue});
            suspensions_.fetch_add(1);
            if (random_.once_in(4))
                expect(xsched().XHintPriority(queue, static_cast<Priority>(random_.below(6)) - 2), "XHintPriority");
            if (random_.once_in(16)) {
                const int64_t threshold = random_.once_in(2) ? 4 + random_.below(60) : 65535;
                expect(xsched().XQueueSetLaunchConfig(queue, threshold, -1), "XQueueSetLaunchConfig");
            }
        }
        Activity::set("sleeping");
        std::this_thread::sleep_for(std::chrono::microseconds(20 + random_.below(random_.once_in(50) ? 5000 : 300)));
        while (suspended.size() > kMostSuspended || (!suspended.empty() && random_.once_in(2))) {
            resume(suspended.front());
            suspended.pop_front();
        }
    }
    for (const Suspended& it : suspended) resume(it);
}

}  // namespace order::cuda
