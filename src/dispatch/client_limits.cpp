// One client: the limits of its user on its queues, and the account with which its units share a device.
#include "dispatch/client_slots.h"

namespace xsched::dispatch {

// Returns whether the client's user may have one more queue. Otherwise the queue runs unscheduled.
bool ClientSlots::within_limits(uint32_t at, const QueueNumbers& numbers, int64_t now_ns) {
    QueueHistory& queue = queues_[at];
    if (queue.scheduled) return true;
    if (!has_record(at) || !share_.take_queue(queue.device)) return false;
    changed_ = queue.scheduled = true;
    begin_record(at, numbers, now_ns);
    return true;
}

// Returns whether the slot has a record, and makes one if allowed. Other threads may read a record at any time, so it
// stays as long as the client.
bool ClientSlots::has_record(uint32_t at) {
    if (recorded_[at]) return true;
    if (!share_.take_record()) return false;
    return recorded_[at] = true;
}

void ClientSlots::leave_limits(QueueHistory& queue) {
    if (!queue.scheduled) return;
    share_.return_queue(queue.device);
    if (queue.has_priority) share_.return_priority(queue.priority);
}

// Limits the priorities that a queue wants to those that its user's limits allow.
void ClientSlots::take_priority(QueueHistory& queue, QueueNumbers& numbers) {
    numbers.priority = share_.capped(numbers.priority);
    numbers.lax_priority = share_.capped(numbers.lax_priority);
    numbers.critical_priority = share_.capped(numbers.critical_priority);
    if (!queue.has_priority || queue.wanted_priority != numbers.priority) {
        if (queue.has_priority) share_.return_priority(queue.priority);
        queue.has_priority = true;
        queue.wanted_priority = numbers.priority;
        queue.priority = share_.take_priority(numbers.priority);
    }
    numbers.priority = queue.priority;
}

int32_t ClientSlots::memory_priority() const {
    int32_t priority = INT32_MIN;
    for (const QueueHistory& queue : queues_)
        if (queue.used && queue.has_priority) priority = std::max(priority, queue.priority);
    if (priority != INT32_MIN) return priority;
    return share_.capped(view_.region->header.memory_priority.load(std::memory_order_relaxed));
}

int64_t ClientSlots::memory_gang() const {
    for (size_t at = 0; at < queues_.size(); ++at)
        if (const int64_t gang = view_.region->slots[at].gang.load(std::memory_order_relaxed);
            queues_[at].used && gang > 0)
            return gang;
    return 0;
}

// Puts a unit under the account of its user or of its control group.
void ClientSlots::share_as_others(policy::Unit& unit) const {
    const JointShare joint = joint_share(view_.limits.get(), view_.group.get());
    if (joint.account == 0) return;
    unit.account = joint.account;
    unit.share = joint.share;
    unit.limit = joint.limit;
}

}  // namespace xsched::dispatch
