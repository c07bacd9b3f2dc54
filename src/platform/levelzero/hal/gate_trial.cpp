#include "platform/levelzero/hal/gate_trial.h"

#include <time.h>

#include <new>

#include "base/clock.h"
#include "base/first_use.h"
#include "base/log.h"
#include "base/mutex.h"
#include "platform/levelzero/hal/marks.h"

namespace xsched::levelzero {
namespace {

// As on HIP (platform/stream/hal/gate_trial.cpp).
constexpr int64_t kPatienceNs = 100 * base::kMillisecond;  // safety
constexpr int64_t kClosedNs = 300 * base::kMicrosecond;    // a closed gate must hold for this long (judgement)
constexpr int64_t kLookEveryNs = 20 * base::kMicrosecond;  // judgement

class Trial;

struct Verdict {
    const ze_device_handle_t device;
    Verdict* before = nullptr;
    base::FirstUse first_use{};
    bool works = false;     // valid once first_use is over
    Trial* left = nullptr;  // a trial that the device may still be at, so that it stays
};
constinit base::Mutex g_verdict_mutex;
constinit Verdict* g_verdicts = nullptr;  // guarded by it; never given back

// A command queue of ours with a gate in it, and a mark behind the gate, in a context of ours: should the gate never
// open, all of it stays, and the program's context does not have it.
class Trial : base::NoCopies {
public:
    Trial(const ZeApi& api, const XzeQueue& like)
        : api_(api),
          queue_{nullptr, like.device, nullptr, like.ordinal, true},
          gate_(api),
          gates_(api, queue_, gate_, Marks::Kind::kGate),
          ends_(api, queue_, gate_, Marks::Kind::kEnd) {}

    // Returns what does not work; nullptr: nothing. If `left` is set the trial must stay in memory, since the device
    // may still be at it.
    const char* run(bool* left) {
        if (const char* lack = make()) return lack;
        gate_.set(Gate::kClosed);
        *left = true;
        ze_command_list_handle_t lists[] = {passage_->mark.list, end_->mark.list};
        if (api_.zeCommandQueueExecuteCommandLists(own_, 2, lists, nullptr) != ZE_RESULT_SUCCESS) {
            gate_.stay_open();
            return "the driver does not execute a list with a gate in it";
        }
        const bool escaped = ends_within(kClosedNs);
        gate_.stay_open();
        if (!ends_within(kPatienceNs)) return "a gate did not open within 100 ms";
        if (api_.zeCommandQueueSynchronize(own_, kPatienceNs) != ZE_RESULT_SUCCESS)
            return "the queue of the trial does not become idle";
        *left = false;
        return escaped ? "work behind a closed gate does not wait" : nullptr;
    }
    void destroy() {
        gates_.destroy();
        ends_.destroy();
        if (own_ != nullptr) api_.zeCommandQueueDestroy(own_);
        gate_.free();
        if (queue_.context != nullptr) api_.zeContextDestroy(queue_.context);
    }

private:
    const char* make() {
        if (api_.zeContextCreate == nullptr || api_.zeContextDestroy == nullptr ||
            api_.zeCommandQueueCreate == nullptr || api_.zeCommandQueueDestroy == nullptr ||
            api_.zeCommandQueueSynchronize == nullptr)
            return "the Level Zero loader lacks functions of version 1.0";
        const ze_context_desc_t ours{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
        const ze_driver_handle_t driver = driver_of(api_, queue_.device);
        if (driver != nullptr && api_.zeContextCreate(driver, &ours, &queue_.context) != ZE_RESULT_SUCCESS)
            return "the driver gives no context for a trial";
        if (const char* lack = gate_.make(queue_)) return lack;
        const ze_command_queue_desc_t desc{.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .ordinal = queue_.ordinal,
                                           .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
        if (api_.zeCommandQueueCreate(queue_.context, queue_.device, &desc, &own_) != ZE_RESULT_SUCCESS)
            return "the driver gives no command queue for a trial";
        passage_ = gates_.take(0);
        end_ = ends_.take(0);
        return passage_ == nullptr || end_ == nullptr ? "the driver refuses to wait for a word in memory" : nullptr;
    }
    bool ends_within(int64_t ns) const {
        for (const int64_t until_ns = base::now_ns() + ns;;) {
            if (api_.zeEventQueryStatus(end_->mark.event) == ZE_RESULT_SUCCESS) return true;
            if (base::now_ns() > until_ns) return false;
            const timespec pause{0, kLookEveryNs};
            nanosleep(&pause, nullptr);
        }
    }

    const ZeApi& api_;
    XzeQueue queue_;
    Gate gate_;
    Marks gates_;
    Marks ends_;
    ze_command_queue_handle_t own_ = nullptr;
    Mark* passage_ = nullptr;
    Mark* end_ = nullptr;
};

bool try_gate(const ZeApi& api, const XzeQueue& queue, Verdict& verdict) {
    auto* trial = new (std::nothrow) Trial(api, queue);
    if (trial == nullptr) return false;
    bool left = false;
    const char* lack = trial->run(&left);
    if (left) {
        verdict.left = trial;
    } else {
        trial->destroy();
        delete trial;
    }
    if (lack != nullptr)
        XLOG_WARN("no preempt level 2 on Level Zero device %p: %s; its queues use level 1",
                  static_cast<void*>(queue.device), lack);
    return lack == nullptr;
}

// Returns the device's verdict, or a new one; nullptr: memory is exhausted.
Verdict* verdict_on(ze_device_handle_t device) {
    base::Lock lock(g_verdict_mutex);
    for (Verdict* it = g_verdicts; it != nullptr; it = it->before)
        if (it->device == device) return it;
    auto* made = new (std::nothrow) Verdict{device, g_verdicts};
    if (made != nullptr) g_verdicts = made;
    return made;
}

}  // namespace

bool gates_work(const ZeApi& api, const XzeQueue& queue) {
    Verdict* verdict = verdict_on(queue.device);
    if (verdict == nullptr) return false;
    if (verdict->first_use.begin()) {
        verdict->works = try_gate(api, queue, *verdict);
        verdict->first_use.over();
    }
    return verdict->works;
}

}  // namespace xsched::levelzero
