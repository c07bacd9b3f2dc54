// One client: what its queues did, counted for other threads (record.h, hold_log.h). Nobody decides by it.
#include <algorithm>

#include "dispatch/client_slots.h"

namespace xsched::dispatch {
namespace {

constexpr uint64_t kMostAtOnce = 1 << 20;  // commands: more than any queue completes between two looks

// Their only writer needs no locked instruction.
void raise(std::atomic<uint64_t>& number) {
    number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

void ClientSlots::begin_record(uint32_t at, const QueueNumbers& numbers, int64_t now_ns) {
    QueueHistory& queue = queues_[at];
    queue.metered = numbers.completed;
    queue.metered_busy_ns = numbers.busy_ns;
    if (view_.record == nullptr) return;
    QueueRecord& record = view_.record->make(at);
    record.make_lengths();
    record.seen_ns.store(now_ns, std::memory_order_relaxed);
}

// The queue's history is still as of the last look. A client writes what it likes: a length is at most the time since.
void ClientSlots::measure(uint32_t at, const QueueNumbers& numbers, int64_t now_ns) {
    if (view_.record == nullptr) return;
    QueueHistory& queue = queues_[at];
    QueueLengths& lengths = view_.record->make(at).make_lengths();
    const int64_t began_ns = queue.ready ? queue.ready_since_ns : numbers.ready_since_ns;
    const int64_t ended_ns = numbers.idle_since_ns;
    // Over now, or over and followed by another: also where all of it was between two looks.
    const bool over = queue.ready ? !numbers.ready || numbers.ready_since_ns > began_ns
                                  : !numbers.ready && began_ns > queue.ready_since_ns;
    if (over && began_ns > 0 && ended_ns >= began_ns && ended_ns <= now_ns) lengths.bursts.add(ended_ns - began_ns);
    // Device time comes with the counts, and somewhat later where the device reports these by itself.
    if (numbers.busy_ns > queue.metered_busy_ns && numbers.completed > queue.metered) {
        const uint64_t commands = std::min(numbers.completed - queue.metered, kMostAtOnce);
        lengths.commands.add((numbers.busy_ns - queue.metered_busy_ns) / static_cast<int64_t>(commands), commands);
        queue.metered = numbers.completed;
        queue.metered_busy_ns = numbers.busy_ns;
    }
}

void ClientSlots::follow_hold(uint32_t at, int64_t now_ns) {
    if (view_.holds == nullptr && view_.record == nullptr) return;
    QueueHistory& queue = queues_[at];
    const HoldCause cause{.by_pid = queue.by_pid,
                          .by_client = queue.by_client,
                          .reason = queue.verdict.reason,
                          // Within one process nothing beyond the gate is needed, which is closed in any case.
                          .mechanism = std::max(queue.verdict.preemption.mechanism, sched::Mechanism::kGate)};
    const auto over = [&](HoldPart part) {
        part.client = view_.id;
        part.slot = at;
        if (view_.holds != nullptr) view_.holds->add(part);
        if (part.last && view_.record != nullptr) view_.record->make(at).make_lengths().holds.add(part.hold_ns);
    };
    const bool held = queue.suspended && queue.ready;
    const int64_t since_ns = std::max(queue.suspended_since_ns, queue.ready_since_ns);
    if (!queue.hold.follow(held, since_ns, cause, now_ns, over) || view_.record == nullptr) return;
    const auto mechanism = static_cast<uint32_t>(cause.mechanism);
    if (mechanism < sched::kMechanisms) raise(view_.record->make(at).preempted_by[mechanism]);
}

void ClientSlots::follow_holds(int64_t now_ns) {
    for (uint32_t at = 0; at < queues_.size(); ++at)
        if (queues_[at].suspended) follow_hold(at, now_ns);
}

}  // namespace xsched::dispatch
