// One client: what its queues do with shared events, and the priority that waiting clients lend it.
#include "dispatch/client_slots.h"
#include "dispatch/shared_waits.h"

namespace xsched::dispatch {

bool ClientSlots::shares_events() const {
    return view_.region->header.shared_events.changes.load(std::memory_order_acquire) != 0;
}

void ClientSlots::shared_uses(std::vector<UseUnderWay>& records, std::vector<UseUnderWay>& waits) const {
    const auto read = [this](const auto& table, std::vector<UseUnderWay>& uses) {
        for (const ipc::SharedUse& use : table) {
            const uint64_t event = use.event.load(std::memory_order_acquire);
            const uint32_t at = use.slot.load(std::memory_order_relaxed);
            if (event == 0 || at >= queues_.size()) continue;
            const QueueHistory& queue = queues_[at];
            if (!queue.used || !queue.scheduled || queue.handle != use.handle.load(std::memory_order_relaxed)) continue;
            if (queue.suspended_by_person || view_.suspended_by_person) continue;
            if (ipc::completed_commands(view_.region->slots[at]) >= use.until.load(std::memory_order_relaxed)) continue;
            uses.push_back({.event = event, .process = process(), .priority = queue.priority});
        }
    };
    read(view_.region->header.shared_events.records, records);
    read(view_.region->header.shared_events.waits, waits);
}

void ClientSlots::lend(int32_t priority) {
    lent_priority_ = priority;
    ++waits_changed_;
}

// Raises the priority of each of its queues with work. All are raised, since what the awaited queue in turn waits for
// is not always visible. A queue that may not run at all still does not run.
void ClientSlots::take_lent(QueueNumbers& numbers) const {
    if (!numbers.ready || numbers.priority >= lent_priority_ || numbers.priority == PRIORITY_NO_EXECUTE) return;
    numbers.priority = lent_priority_;
    numbers.lent = true;
}

}  // namespace xsched::dispatch
