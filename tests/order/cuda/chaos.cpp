#include "order/cuda/chaos.h"

#include <algorithm>
#include <chrono>
#include <shared_mutex>

#include "order/core/report.h"
#include "order/cuda/xsched_api.h"

namespace order::cuda {
namespace {

constexpr size_t kMostSuspended = 5;

void expect(XResult result, const char* call) {
    if (result != kXSchedSuccess) violation("%s returned %d", call, static_cast<int>(result));
}

}  // namespace

bool Chaos::available() { return say_whether(xsched().complete(), "the shim (libshimcuda.so or libshimhip.so)"); }

Chaos::Chaos(World& world, uint64_t seed)
    : ChaosOf(world, seed), resumer_([this] { resume_loop(); }), thread_([this] { loop(); }) {}

Chaos::~Chaos() {
    stop_ = true;
    thread_.join();
    chaos_done_ = true;
    resumer_.join();
}

void Chaos::loop() {
    const Activity activity("chaos");
    while (!stop_.load()) {
        Context& context = any_context();
        const StreamPtr stream = context.any_stream(random_);
        XQueueHandle queue = 0;
        {
            Activity::set("looking for a queue");
            const InContext inside(context);
            queue = xsched().queue_of(stream->handle);
        }
        if (queue != 0) suspend(stream, queue);
        forget_resumed();
        Activity::set("sleeping");
        std::this_thread::sleep_for(std::chrono::microseconds(20 + random_.below(300)));
    }
}

void Chaos::suspend(const StreamPtr& stream, XQueueHandle queue) {
    // A suspend that waits for the queue's work comes only when no other queue is suspended: the work may wait for
    // theirs.
    const bool synchronize = random_.once_in(32);
    while (left_suspended() > (synchronize ? 0 : kMostSuspended - 1))
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    {
        Activity::set(synchronize ? "XQueueSuspend (synchronizing)" : "XQueueSuspend");
        std::shared_lock<std::shared_mutex> unsafe;
        if (synchronize) unsafe = std::shared_lock(unsafe_calls());
        expect(xsched().XQueueSuspend(queue, synchronize ? kQueueSuspendFlagSyncHwQueue : kQueueSuspendFlagNone),
               "XQueueSuspend");
    }
    {
        const std::lock_guard lock(mutex_);
        const auto time = std::chrono::microseconds(20 + random_.below(random_.once_in(50) ? 5000 : 400));
        suspended_.push_back({stream, queue, std::chrono::steady_clock::now() + time});
    }
    suspensions_.fetch_add(1);
    if (random_.once_in(4))
        expect(xsched().XHintPriority(queue, static_cast<Priority>(random_.below(6)) - 2), "XHintPriority");
    if (random_.once_in(16)) {
        const int64_t threshold = random_.once_in(2) ? 4 + random_.below(60) : 65535;
        expect(xsched().XQueueSetLaunchConfig(queue, threshold, -1), "XQueueSetLaunchConfig");
    }
}

size_t Chaos::left_suspended() {
    const std::lock_guard lock(mutex_);
    return suspended_.size();
}

// Gives up the streams that the other thread has resumed. The last owner of a stream destroys it by a CUDA call, which
// the other thread must not make, so it hands them over to this one.
void Chaos::forget_resumed() {
    std::vector<StreamPtr> forgotten;
    {
        const std::lock_guard lock(mutex_);
        forgotten.swap(resumed_);
    }
}

void Chaos::resume_loop() {
    const Activity activity("resumer");
    for (;;) {
        const bool last = stop_.load();
        XQueueHandle due = 0;
        {
            const std::lock_guard lock(mutex_);
            const auto now = std::chrono::steady_clock::now();
            for (auto& it : suspended_)
                if (last || it.until < now) due = it.queue;
        }
        if (due != 0) {
            Activity::set("XQueueResume");
            expect(xsched().XQueueResume(due, kQueueResumeFlagNone), "XQueueResume");
            const std::lock_guard lock(mutex_);
            const auto at = std::find_if(suspended_.begin(), suspended_.end(),
                                         [&](const Suspended& it) { return it.queue == due; });
            resumed_.push_back(std::move(at->stream));
            suspended_.erase(at);
            continue;
        }
        if (last && left_suspended() == 0 && chaos_done_.load()) return;
        Activity::set("sleeping");
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
}

}  // namespace order::cuda
