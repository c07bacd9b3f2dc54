// One client: reads its slots. client_directives.cpp writes to them.
#include "dispatch/client_slots.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "dispatch/look_times.h"
#include "sched/pattern/expectation.h"

namespace xsched::dispatch {

namespace {

// A running queue without progress for this long has its agent rung, to ask for a report.
constexpr int64_t kAskAfterNs = 500 * base::kMicrosecond;  // decision 001
// Polling of a queue slows down while no command completes: the pause between two looks is 1/kQuietParts of the time
// since the last completion. So the end of a command is seen late by at most that part of its length.
constexpr int64_t kQuietParts = 64;
// Queues that stop or resume are read every 1/kStopParts of the time since that began, and less often if many clients
// do so at once. So the measured length of a stop is wrong by at most that part, with few passes.
constexpr int64_t kStopParts = 16;
constexpr int64_t kFewLooks = 8;

}  // namespace

ClientSlots::ClientSlots(const ClientView& view, UnitTable& units)
    : view_(view), units_(*this, view, units), share_(view.limits, view.group) {
    for_others_.reserve(kMostForOthers);
    if (view.habits == nullptr) return;
    off_times_.begin_with(view.habits->last_run.off_us);
    view.habits->now.off_us = off_times_.usual_us();
}

bool ClientSlots::scan(int64_t now_ns, Work& work) {
    if (!std::exchange(scanning_, true)) {
        work.add(kReadNs);
        scanned_ = 0;
        settle_delays(now_ns);
        stuck_since_ns_ = stuck_since_ns(now_ns);
        announced_over_ns_ = 0;
        settling_ = moved_ = runs_ = stands_ = false;
        units_.begin_scan();
    }
    QueueNumbers numbers;
    const uint32_t used = view_.region->header.slot_end.load(std::memory_order_acquire);
    const uint32_t most_slots = std::min(share_.most_slots(), ipc::kMostQueues);
    const uint32_t end = std::min(std::max(used, static_cast<uint32_t>(queues_.size())), most_slots);
    for (; scanned_ < end; ++scanned_) {
        if (work.is_over()) return false;
        work.add(kReadNs);
        const uint32_t at = scanned_;
        if (read_slot(view_.region->slots[at], now_ns, numbers)) {
            if (at >= queues_.size()) queues_.resize(at + 1);
            see(at, numbers, now_ns, work);
        } else if (at < queues_.size() && queues_[at].used) {
            work.add(kQueueNs);
            forget(at, now_ns);
        }
    }
    if (!publish_units(work)) return false;
    while (!queues_.empty() && !queues_.back().used) queues_.pop_back();
    scanning_ = false;
    end_scan(now_ns);
    return true;
}

void ClientSlots::end_scan(int64_t now_ns) {
    if (!settling_) settling_since_ns_ = 0;
    if (moved_)
        quiet_ns_ = 0;
    else if (runs_)
        quiet_ns_ += std::max<int64_t>(now_ns - seen_ns_, 0);
    seen_ns_ = now_ns;
    for (uint32_t at = 0; at < queues_.size() && !changed_; ++at) changed_ = is_directed_otherwise(at);
}

// Returns whether the slot's directive differs from what was written, for example because the client overwrote it.
bool ClientSlots::is_directed_otherwise(uint32_t at) const {
    const QueueHistory& queue = queues_[at];
    if (!has_verdict(queue)) return false;
    if (queue.directed_for != queue.basis()) return true;
    const OwnUnit& own = units_[queue.own];
    const sched::Verdict& verdict = own.verdict();
    return verdict.reason != queue.verdict.reason || verdict.since_ns != queue.verdict.since_ns ||
           !verdict.note.is_about(queue.verdict.note) || !verdict.directs_as(queue.verdict) ||
           (view_.region->slots[at].suspended.load(std::memory_order_relaxed) != 0) != queue.suspended;
}

int64_t ClientSlots::quiet_pause_ns() const {
    const int64_t pause_ns = quiet_ns_ / kQuietParts;
    // While a queue waits for its host or another device, the pause between two looks is bounded, since the end of that
    // wait must be seen in time.
    return stands_ ? std::min(pause_ns, kLookSometimesNs) : pause_ns;
}

int64_t ClientSlots::look_ns(size_t many) const {
    int64_t at_ns = announced_over_ns_;
    const int64_t quiet_pause_ns = this->quiet_pause_ns();
    if (polled_) at_ns = base::earlier(at_ns, look_time(seen_ns_, quiet_pause_ns));
    if (settling_since_ns_ == 0) return at_ns;
    // A stopped process completes nothing soon, so its queues are looked at seldom.
    const bool stopped = view_.record != nullptr && view_.record->stopped.load(std::memory_order_relaxed) != 0;
    const int64_t pause_ns = std::max((seen_ns_ - settling_since_ns_) / kStopParts, kLookEveryNs) *
                             (1 + static_cast<int64_t>(many) / kFewLooks);
    return base::earlier(at_ns, look_time(std::max(seen_ns_, settling_since_ns_),
                                          stopped ? kLookSeldomNs : std::max(pause_ns, quiet_pause_ns)));
}

bool ClientSlots::is_worth_a_look(int64_t now_ns) const { return now_ns - seen_ns_ >= quiet_pause_ns(); }

// Returns since when the process's threads have been in calls of the driver without any of these calls returning; 0: no
// thread is in such a call.
int64_t ClientSlots::stuck_since_ns(int64_t now_ns) {
    const uint32_t calls = view_.region->header.driver_calls.load(std::memory_order_acquire);
    if (std::exchange(driver_calls_, calls) != calls) driver_calls_ns_ = now_ns;
    return calls % ipc::kOneCallReturned != 0 ? driver_calls_ns_ : 0;
}

// Begins the history of a queue that has taken over the slot.
void ClientSlots::become(QueueHistory& queue, const QueueNumbers& numbers) {
    leave_limits(queue);
    queue = QueueHistory{};
    queue.handle = numbers.handle;
    queue.device = numbers.device;
    queue.unit_busy_ns = numbers.busy_ns;
}

void ClientSlots::see(uint32_t at, QueueNumbers& numbers, int64_t now_ns, Work& work) {
    QueueHistory& queue = queues_[at];
    const bool is_new = !queue.used || !queue.is(numbers);
    if (is_new) {
        work.add(kQueueNs);
        if (queue.used) close_record(at);
        become(queue, numbers);
    }
    if (!std::exchange(queue.used, true)) {
        changed_ = true;
        settle_costs(at);
    }
    if (!within_limits(at, numbers, now_ns)) return;
    take_priority(queue, numbers);
    take_lent(numbers);
    if (!std::exchange(queue.in_journal, true)) write_journal(at, JournalKind::kCame, now_ns, now_ns);
    see_progress(at, numbers, now_ns);
    if (numbers.expect_ns != 0)
        announced_over_ns_ = base::earlier(announced_over_ns_, numbers.expect_ns + sched::Expectation::kSlackNs);
    numbers.used_ns = std::max<int64_t>(numbers.busy_ns - std::exchange(queue.unit_busy_ns, numbers.busy_ns), 0);
    const uint32_t before = queue.own;
    queue.own =
        units_.add(numbers, queue.costs, queue.suspended_by_person || view_.suspended_by_person, before, queue.in_unit);
    if (queue.own != before && !is_new) work.add(kQueueNs);
}

// Tells the client that the queue is presumed idle, so that it rings when it submits or waits. Returns false if it has
// just done so.
static bool presume_idle(ipc::QueueSlot& slot, const QueueNumbers& numbers) {
    slot.presumed.store(static_cast<uint32_t>(numbers.submitted), std::memory_order_seq_cst);
    return slot.submitted.load(std::memory_order_seq_cst) == numbers.submitted &&
           slot.inside.load(std::memory_order_seq_cst) == 0;
}

void ClientSlots::see_progress(uint32_t at, QueueNumbers& numbers, int64_t now_ns) {
    QueueHistory& queue = queues_[at];
    const bool presumed =
        queue.silence.observe(numbers, queue.is_followed(), queue.suspended, queue.changed_ns, now_ns);
    if (presumed && numbers.ready) numbers.ready = !presume_idle(view_.region->slots[at], numbers);
    // A device that reports progress by itself rings no doorbell. So its queue counts as idle from the time at which
    // the scheduler first sees it idle.
    if ((numbers.device_progress || presumed) && queue.ready && !numbers.ready) queue.idle_seen_ns = now_ns;
    numbers.idle_since_ns = std::max(numbers.idle_since_ns, queue.idle_seen_ns);
    see_stand(at, numbers, now_ns);
    queue.device_progress = numbers.device_progress;
    listen(queue, numbers, now_ns);
    moved_ |= queue.completed != numbers.completed;
    if (queue.completed != numbers.completed || !numbers.ready || !queue.ready) {
        queue.completed = numbers.completed;
        queue.asked_ns = queue.progress_ns = now_ns;
    } else if (queue.device_progress && !queue.suspended && now_ns - queue.asked_ns >= kAskAfterNs) {
        queue.asked_ns = now_ns;  // its last commands may be unreported
        ask(at);
    }
    moved_ |= queue.ready != numbers.ready || queue.ready_since_ns != numbers.ready_since_ns;
    const bool stands = numbers.stands && numbers.device_progress;
    stands_ |= stands;
    runs_ |= (numbers.ready && !queue.suspended) || stands;
    journal_work(at, numbers, now_ns);
    journal_interrupt(at, now_ns);
    count_time(at, numbers, now_ns);
    measure(at, numbers, now_ns);
    follow_stop(at, numbers, now_ns);
    queue.ready = numbers.ready;
    queue.lent = numbers.lent;
    queue.ready_since_ns = numbers.ready_since_ns;
    follow_hold(at, now_ns);
    numbers.progress_ns = numbers.ready ? queue.progress_ns : 0;
}

// Notices that a queue has begun or ended to wait for its host or another device. If the device reports progress by
// itself, no time comes with that: the queue's work then counts from now, and its agent is asked for the measured time.
void ClientSlots::see_stand(uint32_t at, QueueNumbers& numbers, int64_t now_ns) {
    QueueHistory& queue = queues_[at];
    if (std::exchange(queue.stands, numbers.stands) != numbers.stands && numbers.device_progress) {
        if (numbers.ready) queue.ready_seen_ns = now_ns;
        ask(at);
    }
    numbers.ready_since_ns = std::max(numbers.ready_since_ns, queue.ready_seen_ns);
}

// Follows a queue for tools alone. Most programs wait for their work and so tell their progress, even if they are not
// followed. A program that only launches does not. A program with a latency target is followed from its begin, so that
// tools can say how many of its requests were in time.
void ClientSlots::listen(QueueHistory& queue, const QueueNumbers& numbers, int64_t now_ns) {
    // Judgement.
    constexpr int64_t kUnheardNs = 750 * base::kMillisecond;  // below the shortest interval of tools: 1 s
    if (view_.record == nullptr || queue.unheard) return;
    const bool heard = queue.completed != numbers.completed || !numbers.ready || !queue.ready || queue.suspended;
    if (heard) queue.heard_submitted = numbers.submitted;
    const bool silent = !heard && now_ns - queue.progress_ns >= kUnheardNs && numbers.submitted > queue.heard_submitted;
    queue.unheard = silent || numbers.slo_p99 != 0;
    changed_ |= queue.unheard;
}

bool ClientSlots::publish_units(Work& work) {
    const ipc::Header& header = view_.region->header;
    sched::UnitState common;
    common.unit.pid = view_.pid;
    common.unit.process = process();
    common.waits_changed = waits_changed_;
    common.group = view_.id;
    common.stuck_since_ns = stuck_since_ns_;
    common.habits = view_.habits.get();
    common.keeps_alive = header.keeps_alive.load(std::memory_order_acquire) != 0;
    common.keep_alive_synchronizes = header.keep_alive_synchronizes.load(std::memory_order_relaxed);
    common.stopped = view_.record != nullptr && view_.record->stopped.load(std::memory_order_relaxed) != 0;
    if (view_.record != nullptr) common.unit.cpu_priority = view_.record->cpu_priority.load(std::memory_order_relaxed);
    common.user = user();
    share_as_others(common.unit);
    return units_.publish(common, work);
}

// Adds to each suspended queue's delay the time until now, as far as the queue had work to do. Whether it had is known
// from the last scan and the last verdict.
void ClientSlots::settle_delays(int64_t now_ns) {
    for (QueueHistory& queue : queues_) {
        if (!queue.used || !queue.suspended || !queue.ready) continue;
        const int64_t since_ns = std::max(queue.ready_since_ns, delays_.settled_ns());
        if (now_ns <= since_ns) continue;
        const int64_t ns = now_ns - since_ns;
        queue.delay.add(ns, queue.verdict.by != 0 ? queue.by_pid : 0);
        if (queue.verdict.by != 0) delays_.add({queue.verdict.by, queue.by_client, ns});
    }
    delays_.settle(now_ns);
}

void ClientSlots::add_caused_delay(int64_t ns) {
    delays_.add_caused(ns);
    if (view_.record != nullptr) view_.record->delay_caused_ns.store(delays_.caused_ns(), std::memory_order_relaxed);
}

// Forgets a slot that is free, and leaves no directive for its next queue.
void ClientSlots::forget(uint32_t at, int64_t now_ns) {
    ipc::QueueSlot& slot = view_.region->slots[at];
    write_journal(at, JournalKind::kGone, now_ns, now_ns);
    if (slot.suspended.load(std::memory_order_relaxed) != 0) {
        slot.suspended.store(0);
        ipc::settle_gate(slot);
    }
    queues_[at].suspended = false;
    follow_hold(at, now_ns);
    leave_limits(queues_[at]);
    close_record(at);
    queues_[at] = QueueHistory{};
    changed_ = true;
    if (view_.record != nullptr && recorded_[at]) view_.record->make(at).used.store(0, std::memory_order_relaxed);
}

// Asks the client's agent to make the device report how far it is. The agent's doorbell rings when the writing is over.
void ClientSlots::ask(uint32_t at) {
    view_.region->slots[at].ask.fetch_add(1, std::memory_order_release);
    touched_ = true;
}

bool ClientSlots::set_suspended_by_person(uint64_t handle, bool suspended) {
    if (handle == 0) {
        view_.suspended_by_person = suspended;
        if (view_.record != nullptr) note(view_.record->suspended_by_person, suspended ? 1U : 0U);
        if (!suspended) {
            for (QueueHistory& queue : queues_) queue.suspended_by_person = false;
        }
        return true;
    }
    QueueNumbers numbers;
    for (uint32_t at = 0; at < ipc::kMostQueues; ++at) {
        if (!read_slot(view_.region->slots[at], 0, numbers) || numbers.handle != handle) continue;
        if (at >= queues_.size()) queues_.resize(at + 1);
        QueueHistory& queue = queues_[at];
        if (!queue.used || !queue.is(numbers)) {
            become(queue, numbers);
            settle_costs(at);
        }
        queue.used = true;
        queue.unit_busy_ns = numbers.busy_ns;
        queue.suspended_by_person = suspended;
        return true;
    }
    return false;
}

}  // namespace xsched::dispatch
