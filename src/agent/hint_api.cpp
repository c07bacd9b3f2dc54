// The C functions of xsched/hint.h. The functions that set one hint of one queue are rows of base/hints.def: a row
// whose function the header does not declare does not compile.
#include "agent/hint_api.h"

#include <algorithm>
#include <atomic>

#include "agent/agent.h"
#include "base/clock.h"
#include "base/options.h"
#include "ipc/slot_hints.h"
#include "queue/memory/device_memories.h"
#include "queue/memory/memory_rules.h"
#include "queue/pool.h"
#include "xsched/hint.h"

namespace xsched::agent {
namespace {

using base::HintId;
using queue::XQueue;

// The values told by XHintTimeslice and XHintKDeadline for queues made later; 0: use the environment's.
std::atomic<int64_t> g_timeslice_us{0};
std::atomic<int64_t> g_k_deadline{0};

bool accepts(HintId id, int64_t told) { return base::hint_info(id).accepts(told); }

void store(XQueue& queue, HintId id, int64_t told) {
    const base::HintInfo& hint = base::hint_info(id);
    int64_t kept = hint.kept(told, base::now_ns());
    if (hint.kind == base::HintKind::kTime) kept = ipc::server_time(*queue.header(), kept);
    ipc::store_hint(*queue.slot(), id, kept);
}

// Changes the queue's hints by calling `change`, and tells the scheduler.
template <typename Change>
XResult change_queue(XQueueHandle handle, Change change) {
    XQueue* queue = queue::queue_from_handle(handle);
    if (queue == nullptr) return kXSchedErrorNotFound;
    change(*queue);
    ipc::ring_doorbell(*queue->header());
    return kXSchedSuccess;
}

XResult change_hint(XQueueHandle handle, HintId id, int64_t told) {
    if (!accepts(id, told)) return kXSchedErrorInvalidValue;
    return change_queue(handle, [=](XQueue& queue) { store(queue, id, told); });
}

// Sets one hint of all queues of the process, and of those made later.
void hint_process(HintId id, int64_t told, std::atomic<int64_t>& later) {
    later.store(told, std::memory_order_relaxed);
    for (uint32_t i = 0; i < queue::pool_size(); ++i)
        if (XQueue* queue = queue::queue_at(i)) store(*queue, id, told);
}

XResult hint_memory(HintId id, int64_t told) {
    if (!accepts(id, told)) return kXSchedErrorInvalidValue;
    queue::tell_memory_rule(id, told);
    for (uint32_t i = 0; i < queue::pool_size(); ++i)
        if (XQueue* queue = queue::queue_at(i)) store(*queue, id, told);
    return kXSchedSuccess;
}

// Gives the parameter type of a hint function that the header declares.
template <typename Value>
Value value_of(XResult (*function)(XQueueHandle, Value));

}  // namespace

uint32_t told_hints() {
    uint32_t told = base::options().told_hints | queue::told_memory_rules();
    if (g_timeslice_us.load(std::memory_order_relaxed) != 0) told |= ipc::bit_of(HintId::timeslice_us);
    if (g_k_deadline.load(std::memory_order_relaxed) != 0) told |= ipc::bit_of(HintId::k_deadline);
    return told;
}

base::Hints hints_of_new_queues() {
    base::Hints hints = base::options();
    // A time among the environment's hints, such as a deadline, counts from now, when a queue is created. Here it
    // becomes a point in time.
    for (const base::HintInfo& hint : base::kHints)
        if (hint.kind == base::HintKind::kTime)
            base::set_hint(hints, hint.id, hint.kept(base::get_hint(hints, hint.id), base::now_ns()));
    const Timeslice hinted = g_timeslice_us.load(std::memory_order_relaxed);
    if (hinted != 0) hints.timeslice_us = hinted;
    const int64_t k = g_k_deadline.load(std::memory_order_relaxed);
    queue::take_told_memory_rules(hints);
    if (k != 0) base::set_hint(hints, HintId::k_deadline, base::hint_info(HintId::k_deadline).kept(k, 0));
    return hints;
}

}  // namespace xsched::agent

using namespace xsched;
using base::HintId;
using queue::XQueue;

#define XSCHED_SETTER_kQueue(function, field)                                       \
    XResult function(XQueueHandle xq, decltype(agent::value_of(&function)) value) { \
        return agent::change_hint(xq, HintId::field, value);                        \
    }
#define XSCHED_SETTER_kProcess(function, field)
#define XSCHED_SETTER_kJoint(function, field)
#define XSCHED_HINT(field, type, kind, least, most, fallback, merge, scope, function, ...) \
    XSCHED_SETTER_##scope(function, field)
#include "base/hints.def"
#undef XSCHED_HINT
#undef XSCHED_SETTER_kQueue
#undef XSCHED_SETTER_kProcess
#undef XSCHED_SETTER_kJoint

XResult XHintSetScheduler(XSchedulerType scheduler, XPolicyType policy) {
    return agent::set_scheduler(scheduler, policy);
}

XResult XHintGetPriority(XQueueHandle xq, Priority* prio) {
    if (prio == nullptr) return kXSchedErrorInvalidValue;
    XQueue* queue = queue::queue_from_handle(xq);
    if (queue == nullptr) return kXSchedErrorNotFound;
    *prio = queue->slot()->priority.load();
    return kXSchedSuccess;
}

XResult XHintTimeslice(Timeslice ts_us) {
    if (ts_us == static_cast<Timeslice>(TIMESLICE_UNLIMITED)) ts_us = TIMESLICE_MAX;
    if (!agent::accepts(HintId::timeslice_us, ts_us)) return kXSchedErrorInvalidValue;
    agent::hint_process(HintId::timeslice_us, ts_us, agent::g_timeslice_us);
    return kXSchedSuccess;
}

XResult XHintLaxity(XQueueHandle xq, Laxity lax_us, Priority lax_prio, Priority crit_prio) {
    if (!agent::accepts(HintId::laxity_us, lax_us) || !agent::accepts(HintId::lax_priority, lax_prio) ||
        !agent::accepts(HintId::critical_priority, crit_prio))
        return kXSchedErrorInvalidValue;
    return agent::change_queue(xq, [=](XQueue& queue) {
        agent::store(queue, HintId::laxity_us, lax_us);
        agent::store(queue, HintId::lax_priority, lax_prio);
        agent::store(queue, HintId::critical_priority, crit_prio);
    });
}

XResult XHintKDeadline(size_t k) {
    const auto told = static_cast<int64_t>(std::min<size_t>(k, INT64_MAX));
    if (told == 0 || !agent::accepts(HintId::k_deadline, told)) return kXSchedErrorInvalidValue;
    agent::hint_process(HintId::k_deadline, told, agent::g_k_deadline);
    return kXSchedSuccess;
}

XResult XHintEvictable(int32_t on) { return agent::hint_memory(HintId::evictable, on); }
XResult XHintMemoryLimit(int64_t bytes) { return agent::hint_memory(HintId::memory_limit, bytes); }
XResult XHintMemoryGuarantee(int64_t bytes) { return agent::hint_memory(HintId::memory_guarantee, bytes); }
XResult XHintYieldMemory() { return queue::yield_memory(); }
XResult XHintAcquireMemory() { return queue::acquire_memory(); }
