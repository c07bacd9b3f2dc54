#include "dispatch/slot_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ipc/slot_hints.h"
#include "sched/pattern/expectation.h"
#include "xsched/types.h"

namespace xsched::dispatch {

namespace {

template <typename T>
T take(const std::atomic<T>& field) {
    return field.load(std::memory_order_relaxed);
}

template <typename T>
T take(const std::atomic<T>& field, T least, T most) {
    return std::clamp(field.load(std::memory_order_relaxed), least, most);
}

// Returns the queue's own priority, or that of a more urgent queue of its process that waits for it. A queue that may
// not run at all still may not.
int32_t effective_priority(const ipc::QueueSlot& slot, int32_t own, uint64_t completed) {
    if (own == PRIORITY_NO_EXECUTE) return own;
    return std::min(ipc::with_inherited_priority(slot, own, completed), PRIORITY_MAX);
}

base::Hints read_hints(const ipc::QueueSlot& slot, int64_t now_ns) {
    base::Hints hints = ipc::load_hints(slot);
    for (const base::HintInfo& hint : base::kHints) {
        const int64_t kept = base::get_hint(hints, hint.id);
        base::set_hint(hints, hint.id, hint.trusted(kept, now_ns, sched::Expectation::kSlackNs));
    }
    return hints;
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

    const ipc::SlotWork work = ipc::work_of(slot);
    numbers.completed = work.completed;
    numbers.submitted = work.submitted;
    numbers.device_progress = slot.device_progress.load(std::memory_order_relaxed) != 0;
    const uint64_t unreported = take(slot.unreported);
    numbers.silent = work.ready && take(slot.waiting) == 0 && take(slot.inside) == 0 && unreported != 0 &&
                     work.completed + 1 >= unreported;
    // A queue that its own program suspended does not count as ready: it cannot use the device, so no other queue
    // makes room for it.
    numbers.ready = work.ready && slot.api_suspended.load(std::memory_order_relaxed) == 0;
    numbers.stands = work.stands;
    numbers.handle = take(slot.handle);
    numbers.device = take(slot.device);
    numbers.apart = take(slot.apart) != 0;
    numbers.context = take(slot.context);
    numbers.slowed = ipc::runs_slowed(slot);
    numbers.level = take(slot.level, 0U, static_cast<uint32_t>(kPreemptLevelInterrupt));
    static_cast<base::Hints&>(numbers) = read_hints(slot, now_ns);
    if (numbers.background != 0 && numbers.priority > PRIORITY_MIN) numbers.priority = PRIORITY_MIN;
    const int32_t own = std::exchange(numbers.priority, effective_priority(slot, numbers.priority, work.completed));
    numbers.lent = numbers.priority > own;
    numbers.ready_since_ns = take(slot.ready_since_ns, int64_t{0}, now_ns);
    numbers.idle_since_ns = take(slot.idle_since_ns, int64_t{0}, now_ns);
    numbers.command_ns = take(slot.command_ns, int64_t{0}, kLongestCommandNs);
    numbers.busy_ns = take(slot.busy_ns, int64_t{0}, std::numeric_limits<int64_t>::max() / ipc::kMostQueues);
    numbers.copies = take(slot.copies);
    numbers.copied_bytes = take(slot.copied_bytes);
    numbers.holds_until_ns = take(slot.holds_until_ns);
    return true;
}

}  // namespace xsched::dispatch
