#include "dispatch/slot_reader.h"

#include <algorithm>
#include <limits>

#include "sched/expectation.h"
#include "xsched/types.h"

namespace xsched::dispatch {

namespace {

constexpr int64_t kLongestHintUs = 3'600'000'000;  // an hour, as in base/options.def

template <typename T>
T take(const std::atomic<T>& field) {
    return field.load(std::memory_order_relaxed);
}

template <typename T>
T take(const std::atomic<T>& field, T least, T most) {
    return std::clamp(field.load(std::memory_order_relaxed), least, most);
}

// The slot's own priority, or that of a more urgent queue of the same process which waits for it. What may not run
// at all is not made to run by that.
int32_t effective_priority(const ipc::QueueSlot& slot, uint64_t completed) {
    const int32_t own = take(slot.priority, PRIORITY_NO_EXECUTE, PRIORITY_MAX);
    if (own == PRIORITY_NO_EXECUTE) return own;
    return std::min(ipc::boosted_priority(slot, own, completed), PRIORITY_MAX);
}

// 0: nothing is announced, or what was is over or absurd.
int64_t expected_at(const ipc::QueueSlot& slot, int64_t now_ns) {
    const int64_t at_ns = take(slot.expect_ns);
    const bool over = at_ns <= 0 || at_ns <= now_ns - sched::Expectation::kSlackNs;
    return over || at_ns > now_ns + kLongestHintUs * 1000 ? 0 : at_ns;
}

}  // namespace

sched::Costs read_costs(const ipc::QueueSlot& slot) {
    return {.switch_us = take(slot.switch_us, 0U, kMostCostUs),
            .off_us = take(slot.off_us, 0U, kMostCostUs),
            .most_off_us = take(slot.most_off_us, 0U, kMostCostUs),
            .effect_us = take(slot.effect_us, 0U, kMostCostUs),
            .interrupt_us = take(slot.interrupt_us, 0U, kMostCostUs)};
}

bool read_slot(const ipc::QueueSlot& slot, int64_t now_ns, QueueNumbers& numbers) {
    const uint32_t state = slot.state.load(std::memory_order_acquire);
    if (state != static_cast<uint32_t>(ipc::SlotState::kUsed)) return false;

    // `completed` first: a command that completes in between leaves the queue ready for one pass too long, and the
    // client rings then; the other way round work would be overlooked.
    const uint64_t completed = ipc::completed_commands(slot);
    numbers.completed = completed;
    numbers.device_progress = slot.device_progress.load(std::memory_order_relaxed) != 0;
    // A queue that its own program suspended cannot use the device: nobody makes room for it.
    const bool work = slot.submitted.load(std::memory_order_acquire) != completed ||
                      slot.waiting.load(std::memory_order_acquire) != 0;
    numbers.ready = work && slot.api_suspended.load(std::memory_order_relaxed) == 0;
    numbers.handle = take(slot.handle);
    numbers.device = take(slot.device);
    numbers.level = take(slot.level, 0U, static_cast<uint32_t>(kPreemptLevelInterrupt));
    numbers.priority = effective_priority(slot, completed);
    numbers.ready_since_ns = take(slot.ready_since_ns, int64_t{0}, now_ns);
    numbers.idle_since_ns = take(slot.idle_since_ns, int64_t{0}, now_ns);
    numbers.command_ns = take(slot.command_ns, int64_t{0}, kLongestCommandNs);
    numbers.busy_ns = take(slot.busy_ns, int64_t{0}, std::numeric_limits<int64_t>::max() / ipc::kMostQueues);
    numbers.utilization = take(slot.utilization, UTILIZATION_MIN, UTILIZATION_MAX);
    numbers.timeslice_us = take(slot.timeslice_us, int64_t{TIMESLICE_MIN}, int64_t{TIMESLICE_MAX});
    numbers.deadline_us = take(slot.deadline_us, int64_t{0}, kLongestHintUs);
    numbers.laxity_us = take(slot.laxity_us, int64_t{0}, kLongestHintUs);
    numbers.expect_ns = expected_at(slot, now_ns);
    numbers.period_us = take(slot.period_us, int64_t{0}, kLongestHintUs);
    numbers.lax_priority = take(slot.lax_priority, PRIORITY_MIN, PRIORITY_MAX);
    numbers.critical_priority = take(slot.critical_priority, PRIORITY_MIN, PRIORITY_MAX);
    return true;
}

}  // namespace xsched::dispatch
