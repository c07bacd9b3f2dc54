// One client: tells the decisions about its queues to its own log, and to the clients for whose work they were made
// (ipc/decisions.h).
#include <algorithm>

#include "dispatch/client_slots.h"

namespace xsched::dispatch {
namespace {

bool wants_decisions(const ipc::Header& header) { return header.wants_decisions.load(std::memory_order_relaxed) != 0; }

}  // namespace

void ClientSlots::tell_decision(uint32_t at) {
    QueueHistory& queue = queues_[at];
    const OwnUnit& own = units_[queue.own];
    const sched::UnitState* by = own.table->maker_of_room(queue.verdict);
    ipc::Decision decision{.kind = queue.suspended ? ipc::DecisionKind::kSuspended : ipc::DecisionKind::kResumed,
                           .slot = at,
                           .priority = own.state.unit.priority,
                           .pid = by != nullptr ? by->unit.pid : 0,
                           .pid_priority = by != nullptr ? by->unit.priority : 0,
                           .pid_queue = 0,
                           .reason = static_cast<uint32_t>(queue.verdict.reason),
                           .mechanism = static_cast<uint32_t>(queue.verdict.preemption.mechanism),
                           .delayed_ns = queue.suspended ? 0 : queue.delay.ns()};
    if (!queue.suspended && decision.pid == 0) decision.pid = queue.delay.cause_pid();
    if (wants_decisions(view_.region->header)) {
        view_.region->header.decisions.add(decision);
        touched_ = true;
    }
    if (queue.suspended && queue.by_client != 0) {
        queue.told_client = queue.by_client;
        queue.told_unit = queue.verdict.by;
    }
    if (queue.told_client == 0 || queue.told_client == view_.id || for_others_.size() >= kMostForOthers) return;
    decision.kind = queue.suspended ? ipc::DecisionKind::kSuspendedFor : ipc::DecisionKind::kResumedFor;
    decision.pid = view_.pid;
    decision.pid_priority = decision.priority;
    decision.pid_queue = at + 1;
    for_others_.push_back({.client = queue.told_client, .decision = decision, .unit = queue.told_unit});
    if (!queue.suspended) queue.told_client = 0;
}

void ClientSlots::take_decision(const ForOther& decided) {
    ipc::Header& header = view_.region->header;
    if (!wants_decisions(header)) return;
    ipc::Decision decision = decided.decision;
    decision.slot = ipc::kMostQueues;  // the client has no such queue any more
    // To name one queue of the unit, only the client's first queues are searched: a hostile client may have a thousand.
    for (size_t at = 0; at < std::min<size_t>(queues_.size(), kFewQueues); ++at) {
        const QueueHistory& queue = queues_[at];
        if (!queue.used || !queue.scheduled || units_[queue.own].state.unit.id != decided.unit) continue;
        decision.slot = static_cast<uint32_t>(at);
        decision.priority = units_[queue.own].state.unit.priority;
        if (queue.ready) break;
    }
    header.decisions.add(decision);
    touched_ = true;
    ring();
}

}  // namespace xsched::dispatch
