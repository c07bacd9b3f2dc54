// One client: counts what its queues did, for other threads (record.h, hold_log.h). No decision depends on it, except
// through the time for which queues could use their device (count_time).
#include <algorithm>
#include <utility>

#include "base/capped.h"
#include "base/clock.h"
#include "dispatch/client_slots.h"
#include "sched/facts/times.h"

namespace xsched::dispatch {
namespace {

constexpr uint64_t kMostAtOnce = 1 << 20;  // most commands counted at once: more than any queue completes between two
                                           // looks

// Adds to a sum and stops at its largest value: a client may make queue after queue and claim ages of device time for
// each.
template <typename T>
void raise_by(std::atomic<T>& number, T more) {
    number.store(base::capped_sum(number.load(std::memory_order_relaxed), more), std::memory_order_relaxed);
}

// Adds one without a locked instruction: the number has only one writer.
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

// Records the lengths of bursts and commands. The queue's history is still as of the last look. A client writes what it
// likes, so a length is at most the time since then.
void ClientSlots::measure(uint32_t at, const QueueNumbers& numbers, int64_t now_ns) {
    if (view_.record == nullptr) return;
    QueueHistory& queue = queues_[at];
    QueueLengths& lengths = view_.record->make(at).make_lengths();
    const int64_t began_ns = queue.ready ? queue.ready_since_ns : numbers.ready_since_ns;
    const int64_t ended_ns = numbers.idle_since_ns;
    // The burst is over if the queue is idle now, or has a later burst, or had a whole burst between two looks.
    const bool over = queue.ready ? !numbers.ready || numbers.ready_since_ns > began_ns
                                  : !numbers.ready && began_ns > queue.ready_since_ns;
    // A queue that is not followed is looked at rarely, so that the begin of one burst and the end of a later one would
    // count as one burst.
    if (over && queue.followed_at(began_ns) && ended_ns >= began_ns && ended_ns <= now_ns) {
        lengths.bursts.add(ended_ns - began_ns);
        join_burst(at, numbers, began_ns, ended_ns);
    }
    if (over) queue.held_ns = 0;
    // The device time of completed commands arrives together with their count, or later if the device reports by
    // itself. Until it has arrived, the commands' lengths are not recorded.
    if (numbers.busy_ns > queue.metered_busy_ns && numbers.completed > queue.metered) {
        const uint64_t commands = std::min(numbers.completed - queue.metered, kMostAtOnce);
        lengths.commands.add((numbers.busy_ns - queue.metered_busy_ns) / static_cast<int64_t>(commands), commands);
        queue.metered = numbers.completed;
        queue.metered_busy_ns = numbers.busy_ns;
    }
}

// Records the request that a burst has shown to be over. Its length counts without the time held, as if the program
// were alone. Its lateness counts all of it.
void ClientSlots::join_burst(uint32_t at, const QueueNumbers& numbers, int64_t began_ns, int64_t ended_ns) {
    QueueHistory& queue = queues_[at];
    const auto request = queue.joined.add(began_ns, ended_ns, queue.held_ns);
    if (!request) return;
    QueueRecord& record = view_.record->make(at);
    QueueLengths& lengths = record.make_lengths();
    lengths.requests.add(request->length_ns - request->held_ns);
    lengths.burst_counts.add(request->bursts * base::kMicrosecond);
    lengths.pauses.add(request->pauses_ns);
    if (request->rest_ns != 0) lengths.rests.add(request->rest_ns);
    if (numbers.slo_p99 <= 0) return;
    raise(record.targeted);
    if (request->length_ns > numbers.slo_p99 * base::kMicrosecond) raise(record.late);
}

// Notes that from now on each change of the queue is reported. Earlier bursts, requests and work are not joined with
// later ones. A new queue is known from its begin, so its present burst counts.
void ClientSlots::begin_to_follow(uint32_t at, int64_t now_ns) {
    QueueHistory& queue = queues_[at];
    queue.followed_since_ns = now_ns;
    queue.joined = {};
    if (view_.record == nullptr) return;
    QueueRecord& record = view_.record->make(at);
    record.followed_ns.store(0, std::memory_order_relaxed);
    const bool is_new = record.seen_ns.load(std::memory_order_relaxed) == now_ns;
    if (is_new && queue.ready) queue.followed_since_ns = queue.ready_since_ns;
}

void ClientSlots::follow_hold(uint32_t at, int64_t now_ns) {
    if (view_.holds == nullptr && view_.record == nullptr) return;
    QueueHistory& queue = queues_[at];
    const HoldCause cause{.by_pid = queue.by_pid,
                          .by_client = queue.by_client,
                          .reason = queue.verdict.reason,
                          // A queue suspended for another one of its own process has no mechanism in its verdict: its
                          // gate alone keeps it off.
                          .mechanism = std::max(queue.verdict.preemption.mechanism, sched::Mechanism::kGate)};
    const auto over = [&](HoldPart part) {
        part.client = view_.id;
        part.slot = at;
        queue.held_ns += part.ns;
        if (view_.holds != nullptr) view_.holds->add(part, view_.limits.get(), now_ns);
        if (part.last && view_.record != nullptr) view_.record->make(at).make_lengths().holds.add(part.hold_ns);
    };
    const bool held = queue.suspended && queue.ready;
    const int64_t since_ns = std::max(queue.suspended_since_ns, queue.ready_since_ns);
    const int64_t policy_since_ns = view_.holds != nullptr ? view_.holds->policy_since_ns() : 0;
    if (!queue.hold.follow(held, since_ns, cause, now_ns, policy_since_ns, over) || view_.record == nullptr) return;
    const auto mechanism = static_cast<uint32_t>(cause.mechanism);
    if (mechanism < sched::kMechanisms) raise(view_.record->make(at).preempted_by[mechanism]);
}

// Adds the queue's time with work and its idle time since the last look. Between two looks the queue became ready or
// idle at most once, at the time that the client says.
void ClientSlots::count_time(uint32_t at, QueueNumbers& numbers, int64_t now_ns) {
    QueueHistory& queue = queues_[at];
    numbers.open_ns = numbers.worked_ns = 0;
    const int64_t from_ns = std::exchange(queue.looked_ns, now_ns);
    if (from_ns == 0 || now_ns <= from_ns) return;
    const int64_t since_ns =
        std::clamp(numbers.ready ? numbers.ready_since_ns : numbers.idle_since_ns, from_ns, now_ns);
    const int64_t with_work_ns = (numbers.ready ? now_ns - since_ns : 0) + (queue.ready ? since_ns - from_ns : 0);
    const int64_t changed_ns = std::clamp(queue.changed_ns, from_ns, now_ns);
    numbers.open_ns = queue.suspended ? changed_ns - from_ns : now_ns - changed_ns;
    numbers.worked_ns = std::min(with_work_ns, numbers.open_ns);
    if (view_.record == nullptr) return;
    QueueRecord& record = view_.record->make(at);
    if (!queue.suspended) raise_by(record.running_ns, with_work_ns);
    if (!queue.suspended && queue.followed_at(from_ns)) raise_by(record.followed_ns, with_work_ns);
    raise_by(record.idle_ns, now_ns - from_ns - with_work_ns);
    record.looked_ns.store(now_ns, std::memory_order_relaxed);
}

// Notes that the queue is suspended with work on the device, or resumed with work to do.
void ClientSlots::begin_stop(uint32_t at, int64_t now_ns) {
    QueueHistory& queue = queues_[at];
    const ipc::QueueSlot& slot = view_.region->slots[at];
    queue.mark_launched = slot.launched.load(std::memory_order_relaxed);
    queue.mark_completed = ipc::completed_commands(slot);
    queue.stopping_since_ns = queue.suspended && queue.ready ? now_ns : 0;
    // The length of the resumption is measured only if the stop before it was complete. If work was still stopping when
    // the hold ended, the resumption would look too short.
    queue.resuming_since_ns =
        !queue.suspended && queue.ready && queue.stopped_by != sched::Mechanism::kNone ? now_ns : 0;
    if (queue.suspended) queue.stopped_by = sched::Mechanism::kNone;
    if (queue.stopping_since_ns != 0 && queue.mark_completed >= queue.mark_launched) end_stop(at, 0);
    if (queue.stopping_since_ns == 0 && queue.resuming_since_ns == 0) return;
    settling_since_ns_ = now_ns;
    followed_ = true;
}

void ClientSlots::end_stop(uint32_t at, int64_t ns) {
    QueueHistory& queue = queues_[at];
    queue.stopping_since_ns = 0;
    const auto by = std::max(queue.verdict.preemption.mechanism, sched::Mechanism::kGate);
    if (view_.record == nullptr || static_cast<uint32_t>(by) >= sched::kMechanisms) return;
    queue.stopped_by = by;
    QueueRecord& record = view_.record->make(at);
    record.make_lengths().stops.add(ns);
    record.stops_by[static_cast<uint32_t>(by)].add(ns);
}

// Sets the cost of taking the process off: declared by its platform, measured on this machine, refined by what was seen
// of the process.
void ClientSlots::settle_costs(uint32_t at) {
    sched::Costs costs = read_costs(view_.region->slots[at]);
    if (costs.has_timeslices() && view_.switch_us != 0)  // it may have been measured on another device of the machine
        costs.switch_us = std::clamp(view_.switch_us, costs.switch_us / sched::OffTimes::kMostFactor,
                                     costs.switch_us * sched::OffTimes::kMostFactor);
    queues_[at].costs = costs = off_times_.refined(costs);
    if (view_.record == nullptr) return;
    QueueRecord& record = view_.record->make(at);
    record.switch_us.store(costs.switch_us, std::memory_order_relaxed);
    record.off_us.store(costs.off_us, std::memory_order_relaxed);
    record.interrupt_us.store(costs.interrupt_us, std::memory_order_relaxed);
}

// Learns how long the process took to be off. If level 3 was asked for later than the suspension, the time before does
// not count.
void ClientSlots::learn_costs(uint32_t at, int64_t off_ns) {
    QueueHistory& queue = queues_[at];
    const sched::Mechanism by = queue.verdict.preemption.mechanism;
    if (!sched::interrupts(by) || by == sched::Mechanism::kInterruptLate) return;
    off_times_.add(off_ns);
    if (view_.habits != nullptr) view_.habits->now.off_us = off_times_.usual_us();
    settle_costs(at);
}

void ClientSlots::follow_stop(uint32_t at, const QueueNumbers& numbers, int64_t now_ns) {
    QueueHistory& queue = queues_[at];
    queue.last_completed = numbers.completed;
    queue.last_copies = numbers.copies;
    queue.last_copied_bytes = numbers.copied_bytes;
    if (queue.stopping_since_ns == 0 && queue.resuming_since_ns == 0) return;
    const ipc::QueueSlot& slot = view_.region->slots[at];
    const bool off = ipc::is_off(slot);
    if (queue.stopping_since_ns != 0) {
        const bool stopped = off || numbers.completed >= queue.mark_launched;
        const int64_t ns = now_ns - queue.stopping_since_ns;
        // After kLatelyNs something else keeps it on.
        if (!stopped && ns < sched::kLatelyNs) return static_cast<void>(settling_ = true);
        queue.stopping_since_ns = 0;
        if (off) learn_costs(at, ns);
        if (stopped) end_stop(at, ns);
        return;
    }
    const bool goes_on = !off && (slot.launched.load(std::memory_order_relaxed) > queue.mark_launched ||
                                  numbers.completed > queue.mark_completed);
    const int64_t ns = now_ns - queue.resuming_since_ns;
    if (!goes_on && ns < sched::kLatelyNs && numbers.ready) return static_cast<void>(settling_ = true);
    queue.resuming_since_ns = 0;
    if (!goes_on || view_.record == nullptr) return;
    QueueRecord& record = view_.record->make(at);
    record.make_lengths().resumes.add(ns);
    record.resumes_by[static_cast<uint32_t>(queue.stopped_by)].add(ns);
}

// Closes the record of a queue that is gone; the slot's history stays.
void ClientSlots::close_record(uint32_t at) {
    if (view_.record == nullptr || !queues_[at].scheduled) return;
    QueueRecord& record = view_.record->make(at);
    raise_by(record.gone_completed, queues_[at].last_completed);
    raise_by(record.gone_copies, queues_[at].last_copies);
    raise_by(record.gone_copied_bytes, queues_[at].last_copied_bytes);
    raise_by(record.gone_busy_ns, queues_[at].metered_busy_ns);
}

void ClientSlots::follow_holds(int64_t now_ns) {
    for (uint32_t at = 0; at < queues_.size(); ++at)
        if (queues_[at].suspended) follow_hold(at, now_ns);
}

}  // namespace xsched::dispatch
