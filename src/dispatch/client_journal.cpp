// One client: writes changes of its queues to the journal (journal.h). No decision depends on it.
#include <algorithm>
#include <utility>

#include "dispatch/client_slots.h"

namespace xsched::dispatch {
namespace {

// Returns a queue's state after an entry of this kind.
uint8_t state_after(JournalKind kind, const QueueHistory& queue) {
    const auto state = static_cast<uint8_t>((queue.ready ? JournalEntry::kHasWork : 0) |
                                            (queue.suspended ? JournalEntry::kIsSuspended : 0) |
                                            (queue.followed_since_ns != 0 ? JournalEntry::kIsFollowed : 0));
    const auto set = [&state](uint8_t bit) { return static_cast<uint8_t>(state | bit); };
    const auto unset = [&state](uint8_t bit) { return static_cast<uint8_t>(state & ~bit); };
    switch (kind) {
        case JournalKind::kReady:
        case JournalKind::kWasReady: return set(JournalEntry::kHasWork);
        case JournalKind::kIdle:
        case JournalKind::kWasIdle: return unset(JournalEntry::kHasWork);
        case JournalKind::kSuspended: return set(JournalEntry::kIsSuspended);
        case JournalKind::kResumed: return unset(JournalEntry::kIsSuspended);
        case JournalKind::kFollowed: return set(JournalEntry::kIsFollowed);
        case JournalKind::kLeftAlone: return unset(JournalEntry::kIsFollowed);
        default: return state;
    }
}

// Returns whether two causes count as one. Everything for one program's sake is one cause, with the reason that it
// began with (hold_tracker.h).
bool same(const HoldCause& one, const HoldCause& other) {
    return one.by_client == other.by_client && one.mechanism == other.mechanism &&
           (one.by_client != 0 || one.reason == other.reason);
}

}  // namespace

// Writes an entry. The counts are the client's own and not checked.
void ClientSlots::write_journal(uint32_t at, JournalKind kind, int64_t at_ns, int64_t now_ns) {
    if (view_.journal == nullptr || !view_.journal->wanted(now_ns)) return;
    const QueueHistory& queue = queues_[at];
    const ipc::QueueSlot& slot = view_.region->slots[at];
    uint64_t completed = queue.completed;
    if (kind == JournalKind::kCame || kind == JournalKind::kGone)
        completed = slot.device.load(std::memory_order_relaxed);
    else if (kind == JournalKind::kDirected)
        completed = queue.directed;
    const uint8_t state = state_after(kind, queue);
    const bool held = (state & JournalEntry::kIsSuspended) != 0;
    const HoldCause over = held || kind == JournalKind::kResumed ? queue.told : HoldCause{};
    view_.journal->add({.at_ns = at_ns,
                        .client = view_.id,
                        .slot = static_cast<uint16_t>(at),
                        .kind = kind,
                        .reason = static_cast<uint8_t>(held ? queue.told.reason : queue.verdict.reason),
                        .mechanism = static_cast<uint8_t>(over.mechanism),
                        .state = state,
                        .priority = static_cast<int16_t>(queue.priority),
                        .by_client = over.by_client,
                        .completed = completed,
                        .command_ns = slot.command_ns.load(std::memory_order_relaxed)},
                       view_.limits.get(), now_ns);
}

// Writes journal entries about a queue that became ready or idle since the last look. A whole burst, or a whole idle
// gap, since then gives two entries. Call before the queue's history is updated.
void ClientSlots::journal_work(uint32_t at, const QueueNumbers& numbers, int64_t now_ns) {
    const QueueHistory& queue = queues_[at];
    const bool other_burst = queue.followed_since_ns != 0 && numbers.ready == queue.ready &&
                             numbers.ready_since_ns > queue.ready_since_ns && numbers.ready_since_ns <= now_ns;
    const bool sound =
        queue.ready ? numbers.idle_since_ns > queue.ready_since_ns : numbers.idle_since_ns >= numbers.ready_since_ns;
    if (numbers.ready != queue.ready) {
        write_journal(at, numbers.ready ? JournalKind::kReady : JournalKind::kIdle,
                      numbers.ready ? numbers.ready_since_ns : numbers.idle_since_ns, now_ns);
    } else if (other_burst && sound && queue.ready) {
        write_journal(at, JournalKind::kWasIdle, std::min(numbers.idle_since_ns, numbers.ready_since_ns), now_ns);
        write_journal(at, JournalKind::kWasReady, numbers.ready_since_ns, now_ns);
    } else if (other_burst && sound) {
        write_journal(at, JournalKind::kWasReady, numbers.ready_since_ns, now_ns);
        write_journal(at, JournalKind::kWasIdle, std::max(numbers.idle_since_ns, numbers.ready_since_ns), now_ns);
    }
}

// Writes entries about a verdict that was just written.
void ClientSlots::journal_verdict(uint32_t at, bool was_suspended, int64_t now_ns) {
    QueueHistory& queue = queues_[at];
    const HoldCause cause{.by_pid = queue.by_pid,
                          .by_client = queue.by_client,
                          .reason = queue.verdict.reason,
                          .mechanism = std::max(queue.verdict.preemption.mechanism, sched::Mechanism::kGate)};
    const bool suspended = queue.verdict.suspend;
    if (queue.is_followed() && queue.followed_since_ns == 0) {
        begin_to_follow(at, now_ns);
        write_journal(at, JournalKind::kFollowed, queue.followed_since_ns, now_ns);
    }
    if (suspended != was_suspended) {
        if (suspended) queue.told = cause;
        write_journal(at, suspended ? JournalKind::kSuspended : JournalKind::kResumed, now_ns, now_ns);
    } else if (suspended && !same(queue.told, cause)) {
        queue.told = cause;
        write_journal(at, JournalKind::kCause, now_ns, now_ns);
    }
    const uint64_t directed = uint64_t{static_cast<uint32_t>(queue.verdict.preemption.interrupt)} << 32 |
                              queue.verdict.preemption.timeslice_us;
    if (std::exchange(queue.directed, directed) != directed) write_journal(at, JournalKind::kDirected, now_ns, now_ns);
    if (!queue.is_followed() && std::exchange(queue.followed_since_ns, 0) != 0)
        write_journal(at, JournalKind::kLeftAlone, now_ns, now_ns);
}

// Writes the agent's report about level 3, at each look.
void ClientSlots::journal_interrupt(uint32_t at, int64_t now_ns) {
    const bool off = ipc::is_off(view_.region->slots[at]);
    if (std::exchange(queues_[at].taken_off, off) == off) return;
    write_journal(at, off ? JournalKind::kTakenOff : JournalKind::kPutBack, now_ns, now_ns);
}

}  // namespace xsched::dispatch
