// The common part of each platform's chaos: threads that suspend and resume the program's XQueues at random until they
// are told to stop. They use the C API of the libraries that a shim has loaded.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "order/core/random.h"
#include "order/core/report.h"
#include "order/core/xsched_api.h"

namespace order {

// False, and a message, if the C API is not loaded in this process.
inline bool say_whether(bool complete, const char* shim) {
    if (!complete)
        std::fprintf(stderr,
                     "order_check: --chaos needs the XSched libraries in the process; load %s with LD_PRELOAD\n", shim);
    return complete;
}

template <typename World>
class ChaosOf {
public:
    ChaosOf(const ChaosOf&) = delete;
    ChaosOf& operator=(const ChaosOf&) = delete;
    int64_t suspensions() const { return suspensions_.load(); }

protected:
    ChaosOf(World& world, uint64_t seed) : world_(world), random_(seed) {}
    ~ChaosOf() = default;

    auto& any_context() { return *world_.contexts[random_.below(static_cast<uint32_t>(world_.contexts.size()))]; }

    World& world_;
    Random random_;
    std::atomic<bool> stop_{false};
    std::atomic<int64_t> suspensions_{0};
};

// Chaos of one thread, which suspends and resumes all queues together, as a scheduler does: work of one may wait for
// that of another. World has for it:
//   chaos_available()    false, after a message, if the C API is not loaded in this process
//   xqueues()            the XQueues of everything that has been used
//   suspend_flags(random)
//   kQueuesStay          no queue goes before the world does, so each call must succeed
template <typename World, const auto& kApi>
class ChaosTogether : public ChaosOf<World> {
public:
    static bool available() { return World::chaos_available(); }
    ChaosTogether(World& world, uint64_t seed) : ChaosOf<World>(world, seed), thread_([this] { loop(); }) {}
    // Resumes everything first.
    ~ChaosTogether() {
        this->stop_ = true;
        thread_.join();
    }

private:
    void loop() {
        const Activity activity("chaos");
        Random& random = this->random_;
        while (!this->stop_.load()) {
            const std::vector<XQueueHandle> queues = this->world_.xqueues();
            this->suspensions_ += for_each(queues, "XQueueSuspend", kApi().XQueueSuspend, World::suspend_flags(random));
            Activity::set("sleeping");
            std::this_thread::sleep_for(std::chrono::microseconds(20 + random.below(random.once_in(50) ? 5000 : 300)));
            for_each(queues, "XQueueResume", kApi().XQueueResume, kQueueResumeFlagNone);
            std::this_thread::sleep_for(std::chrono::microseconds(random.below(300)));
        }
    }
    // Returns how many of the calls succeeded.
    static int64_t for_each(const std::vector<XQueueHandle>& queues, const char* name,
                            XResult (*call)(XQueueHandle, int64_t), int64_t flags) {
        int64_t succeeded = 0;
        for (const XQueueHandle queue : queues) {
            Activity::set(name);
            const XResult result = call(queue, flags);
            if (result == kXSchedSuccess) ++succeeded;
            if (result != kXSchedSuccess && World::kQueuesStay) violation("%s returned %d", name, result);
        }
        return succeeded;
    }

    std::thread thread_;
};

}  // namespace order
