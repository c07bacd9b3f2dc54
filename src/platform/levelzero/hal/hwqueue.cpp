#include "platform/levelzero/hal/hwqueue.h"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "platform/levelzero/hal/gate_trial.h"

namespace xsched::levelzero {
namespace {

// For a command that another program waits for, the driver is asked again after 1/kPartOfAge of the time for which
// the command has been seen to run (judgement): the completion is seen late by at most that part, and the asking thread
// seldom wakes.
constexpr int64_t kPartOfAge = 16;
// Bounds of the time between two such questions (judgement). A question costs some 50 ns, a wake-up some
// microseconds.
constexpr int64_t kLeastLookNs = 20 * base::kMicrosecond;
constexpr int64_t kMostLookNs = 500 * base::kMicrosecond;

constinit std::atomic<bool> g_ungated_logged{false};

void log_ungated() {
    if (!g_ungated_logged.exchange(true))
        XLOG_WARN("the Level Zero driver has refused a wait for a gate: such commands run to their end as at level 1");
}

}  // namespace

HwQueue::HwQueue(const ZeApi& api, const XzeQueue& queue)
    : api_(api),
      queue_(queue),
      gate_(api),
      holds_(api, queue_, gate_, Marks::Kind::kHold),
      gates_(api, queue_, gate_, Marks::Kind::kGate),
      ends_(api, queue_, gate_, Marks::Kind::kEnd) {
    Watched::look = [](Watched* it) { static_cast<HwQueue*>(it)->look(); };
    Watched::next_look_ns = [](Watched* it, int64_t ns) { return static_cast<HwQueue*>(it)->pause_ns(ns); };
    Watched::any_in_flight = [](Watched* it) { return static_cast<HwQueue*>(it)->flight_.any(); };
    Watched::process_ends = [](Watched* it) { static_cast<HwQueue*>(it)->gate_.stay_open(); };
}

HwQueue* HwQueue::create(const ZeApi& api, const XzeQueue& queue, bool gated) {
    auto* made = new (std::nothrow) HwQueue(api, queue);
    if (made != nullptr && gated && gates_work(api, queue)) {
        if (const char* lack = made->gate_.make(queue))
            XLOG_WARN("no preempt level 2 on a Level Zero queue: %s; it uses level 1", lack);
    }
    if (made == nullptr || watch(made)) return made;
    delete made;
    return nullptr;
}

Mark* HwQueue::next_mark() {
    if (ended_.load()) return nullptr;
    Mark* mark = ends_.take(UINT64_MAX);
    if (mark == nullptr) return nullptr;
    if (flight_.add(mark)) changes_.fetch_add(1, std::memory_order_relaxed);
    return mark;
}

Mark* HwQueue::put_gate(Mark* end, bool held) {
    const bool closed_lists = queue_.list == nullptr;
    if (!gate_.made() || (closed_lists && held)) return nullptr;  // the hold's list has the gate
    if (!closed_lists && queue_.in_order) {
        if (!gate_.wait_in(queue_.list, nullptr)) log_ungated();
        return nullptr;
    }
    Mark* gate = gates_.take(flight_.passed());
    if (gate != nullptr && !closed_lists && !gate_.wait_in(queue_.list, gate->mark.event)) {
        gates_.give(gate, 0);
        gate = nullptr;
    }
    if (gate == nullptr) log_ungated();
    end->gate = gate;
    return gate;
}

void HwQueue::refused(Mark* mark) {
    if (gate_.made()) gate_unused_.store(true);
    mark->state.store(Flight::kRefused, std::memory_order_release);
}

// Takes back the marks of a command that is over. If its gate may not have been passed, the next command's end says so.
void HwQueue::give_back(Mark* end, bool passed) {
    if (Mark* gate = std::exchange(end->gate, nullptr)) gates_.give(gate, passed ? 0 : flight_.last_number() + 1);
    ends_.give(end, 0);
}

void HwQueue::launched(Mark* mark, XqToken token) {
    mark->token = token;
    mark->state.store(Flight::kLaunched, std::memory_order_release);
    wake_watcher();
    look();
}

// A device that is lost counts as done.
bool HwQueue::is_over(const Mark& mark, bool* reported) const {
    const uint32_t state = mark.state.load(std::memory_order_acquire);
    *reported = state == Flight::kLaunched;
    if (state != Flight::kLaunched) return state == Flight::kRefused;
    return api_.zeEventQueryStatus(mark.mark.event) != ZE_RESULT_NOT_READY;
}

// In a queue that keeps order the first command that is not complete ends the search.
void HwQueue::look() {
    if (looking_.exchange(true)) return;
    Mark* before = nullptr;
    for (Mark* mark = ended_.load() ? nullptr : flight_.first(); mark != nullptr;) {
        bool reported = false;
        if (is_over(*mark, &reported)) {
            const XqToken token = mark->token;
            Mark* const behind = flight_.remove(before, mark);
            give_back(mark, reported);
            changes_.fetch_add(1, std::memory_order_relaxed);
            if (reported) xq_complete(token);
            mark = behind;
        } else if (queue_.in_order) {
            break;
        } else {
            before = mark;
            mark = flight_.behind(mark);
        }
    }
    looking_.store(false);
}

int64_t HwQueue::pause_ns(int64_t seldom_ns) {
    if (!flight_.any()) return 0;
    XqQueue* xqueue = xqueue_.load(std::memory_order_acquire);
    if (xqueue == nullptr || !xq_is_followed(xqueue)) return seldom_ns;
    const int64_t now_ns = base::now_ns();
    const uint64_t changes = changes_.load(std::memory_order_relaxed);
    if (seen_changes_.exchange(changes, std::memory_order_relaxed) != changes)
        seen_ns_.store(now_ns, std::memory_order_relaxed);
    const int64_t age_ns = now_ns - seen_ns_.load(std::memory_order_relaxed);
    return std::clamp(age_ns / kPartOfAge, kLeastLookNs, kMostLookNs);
}

XResult HwQueue::synchronize() {
    const uint64_t until = flight_.last_number();
    while (!ended_.load() && flight_.passed() < until) {
        look();
        const timespec pause{0, kLeastLookNs};
        if (flight_.passed() < until) nanosleep(&pause, nullptr);
    }
    return kXSchedSuccess;
}

void HwQueue::open(Mark* hold) {
    opening_.fetch_add(1);
    if (!ended_.load()) {
        const ze_result_t result = api_.zeEventHostSignal(hold->mark.event);
        if (result != ZE_RESULT_SUCCESS) XLOG_ERRO("level zero error 0x%x from zeEventHostSignal", result);
    }
    opening_.fetch_sub(1);
}

void HwQueue::report_all() {
    for (Mark* mark = flight_.first(); mark != nullptr; mark = flight_.first()) {
        const bool launched = mark->state.load(std::memory_order_acquire) == Flight::kLaunched;
        const XqToken token = mark->token;
        flight_.remove(nullptr, mark);
        if (launched) xq_complete(token);
    }
}

// The program must have waited for all of its commands before the queue ends. If it has not, commands that are still
// held are released, so that they do not stay for ever.
void HwQueue::end() {
    if (ended_.exchange(true)) return;
    end_watch(this);
    while (opening_.load() != 0 || looking_.load()) sched_yield();
    gate_.stay_open();
    const bool idle = !flight_.any();
    if (!idle) holds_.signal_all();
    report_all();
    holds_.destroy();
    gates_.destroy();
    ends_.destroy();
    if (idle && !gate_unused_.load()) gate_.free();
}

namespace {

HwQueue& of(void* hwq) { return *static_cast<HwQueue*>(hwq); }

void* hold_create(void* self) { return of(self).make_hold(); }

void hold_open(void* self, void* hold) { of(self).open(static_cast<Mark*>(hold)); }

void hold_destroy(void* self, void* hold) { of(self).give_hold(static_cast<Mark*>(hold)); }

// Every command reports itself.
XResult mark(void*, XqToken) { return kXSchedErrorNotSupported; }

XResult synchronize(void* self) { return of(self).synchronize(); }

void destroy(void* self) { delete &of(self); }

XResult deactivate(void* self) {
    of(self).set_gate(Gate::kClosed);
    return kXSchedSuccess;
}

XResult reactivate(void* self) {
    of(self).set_gate(Gate::kOpen);
    return kXSchedSuccess;
}

constexpr XqHoldOps kHolds = {.create = hold_create, .open = hold_open, .drop = hold_open, .destroy = hold_destroy};

constexpr XqStopOps kGates = {.deactivate = deactivate, .reactivate = reactivate};

constexpr XqDeviceOps make_ops(XqOrder order, const XqStopOps* stop) {
    return {.abi = XQ_DEVICE_ABI,
            .levels = 1u << kPreemptLevelBlock | (stop != nullptr ? 1u << kPreemptLevelDeactivate : 0),
            .platform = kPlatformLevelZero,
            .order = order,
            .hold = &kHolds,
            .stop = stop,
            .mark = mark,
            .synchronize = synchronize,
            .destroy = destroy};
}

// The operations of a queue, indexed by whether the queue is in order, and by whether it has a gate.
constexpr XqDeviceOps kOps[2][2] = {{make_ops(kXqAnyOrder, nullptr), make_ops(kXqAnyOrder, &kGates)},
                                    {make_ops(kXqInOrder, nullptr), make_ops(kXqInOrder, &kGates)}};

}  // namespace

const XqDeviceOps* device_ops(const HwQueue& hwq) { return &kOps[hwq.in_order()][hwq.gated()]; }

}  // namespace xsched::levelzero
