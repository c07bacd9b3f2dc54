// One client: the verdicts on its units become directives in its slots.
#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "dispatch/client_slots.h"
#include "sched/facts/victim.h"

namespace xsched::dispatch {

static_assert(static_cast<uint32_t>(sched::Interrupt::kTakenOff) == static_cast<uint32_t>(ipc::Interrupt::kTakenOff));
static_assert(static_cast<uint32_t>(sched::Interrupt::kKeptOff) == static_cast<uint32_t>(ipc::Interrupt::kKeptOff));

namespace {

template <typename T>
bool update(std::atomic<T>& field, T value) {
    if (field.load(std::memory_order_relaxed) == value) return false;
    field.store(value, std::memory_order_seq_cst);
    return true;
}

template <typename T>
void note(std::atomic<T>& field, T value) {
    field.store(value, std::memory_order_relaxed);
}

void note_kept_off(KeptOff& kept_off, const sched::Verdict& verdict) {
    note(kept_off.mechanism, static_cast<uint32_t>(verdict.preemption.mechanism));
    for (size_t at = 0; at < verdict.candidates.size(); ++at) {
        const sched::Candidate& candidate = verdict.candidates[at];
        note(kept_off.candidates[at].mechanism, static_cast<uint32_t>(candidate.mechanism));
        note(kept_off.candidates[at].urgent_us, candidate.urgent_us);
        note(kept_off.candidates[at].victim_us, candidate.victim_us);
    }
}

}  // namespace

template <typename T>
bool ClientSlots::put(std::atomic<T>& field, T value) {
    const bool changed = update(field, value);
    touched_ |= changed;
    return changed;
}

void ClientSlots::close_gates(uint32_t own, int64_t now_ns) {
    if (queues_.size() > kFewQueues) return;  // writing all of its directives in one go is as fast
    for (uint32_t at = 0; at < queues_.size(); ++at) {
        const QueueHistory& queue = queues_[at];
        if (!queue.used || !queue.scheduled || queue.own != own || !queue.ready || queue.suspended) continue;
        begin_suspension(now_ns);
        ipc::QueueSlot& slot = view_.region->slots[at];
        put(slot.suspended, 1U);
        ipc::settle_gate(slot);
    }
}

// Gives a heartbeat to a client whose queues are about to be suspended: with an old one it would take the server for
// dead.
void ClientSlots::begin_suspension(int64_t now_ns) {
    if (!std::exchange(suspended_, true)) heartbeat_ns_ = 0;
    beat(now_ns);
}

bool ClientSlots::direct(int64_t now_ns, uint32_t most) {
    // Adding up the delays reads all queues, so it is done for new verdicts and otherwise once a millisecond at most,
    // not for each part of the slots that is written. The delays are therefore exact to a millisecond.
    if (verdicts_are_new_ || now_ns - delays_.settled_ns() >= base::kMillisecond) settle_delays(now_ns);
    if (std::exchange(verdicts_are_new_, false)) direct_header(now_ns);
    const auto end = static_cast<uint32_t>(queues_.size());
    unwritten_ = std::min(unwritten_, end);
    for (; unwritten_ > 0 && most > 0; --unwritten_, --most) {
        const uint32_t at = next_written_ < end ? next_written_ : 0;
        next_written_ = at + 1;
        const bool asks = unasked_ > 0;
        if (asks) --unasked_;
        QueueHistory& queue = queues_[at];
        if (!has_verdict(queue)) continue;
        if (asks) ask(at);
        queue.verdict = units_[queue.own].verdict();
        queue.verdict.imminent = queue.verdict.imminent && at == latest_;
        direct_queue(at, now_ns);
        queue.directed_for = queue.basis();
        log_note(queue);
        if (view_.record != nullptr) write_record(at, now_ns);
    }
    if (unwritten_ == 0) next_written_ = 0;
    return unwritten_ == 0;
}

// Finds, of the queues that expect a burst, the one that had work last. One queue is enough, and another one might not
// be able to keep the device.
void ClientSlots::find_latest() {
    latest_ = UINT32_MAX;
    for (uint32_t at = 0; at < queues_.size(); ++at) {
        if (!has_verdict(queues_[at]) || !units_[queues_[at].own].verdict().imminent) continue;
        if (latest_ == UINT32_MAX || queues_[at].ready_since_ns > queues_[latest_].ready_since_ns) latest_ = at;
    }
}

// Writes the directives for the whole client before those for each queue.
void ClientSlots::direct_header(int64_t now_ns) {
    const Summary summary = take_verdicts();
    find_latest();
    if (summary.suspended)
        begin_suspension(now_ns);
    else
        suspended_ = false;
    write_header(summary);
    if (view_.record == nullptr) return;
    note(view_.record->suspect, summary.suspect ? 1U : 0U);
    note(view_.record->lost_claim, summary.unbelieved ? 1U : 0U);
    if (summary.unscheduled > 0 && !std::exchange(told_unscheduled_, true))
        XLOG_WARN(
            "pid %d runs unscheduled with %u of its queues, since its user has as many as a limit allows ('xcli status "
            "--limits')",
            view_.pid, summary.unscheduled);
    note(view_.record->unscheduled, summary.unscheduled);
}

ClientSlots::Summary ClientSlots::take_verdicts() {
    Summary summary;
    polled_ = followed_ = false;
    for (const QueueHistory& queue : queues_) {
        if (!queue.used) continue;
        if (!queue.scheduled) {
            ++summary.unscheduled;
            continue;
        }
        if (!has_verdict(queue)) continue;
        const sched::Verdict& verdict = units_[queue.own].verdict();
        const bool watched = queue.is_followed(verdict);
        summary.watching |= watched;
        summary.suspended |= verdict.suspend;
        summary.suspect |= verdict.suspect;
        summary.unbelieved |= verdict.unbelieved;
        summary.expects_interrupt |= verdict.preemption.expect_interrupt;
        summary.has_victims |= verdict.preemption.has_victims;
        summary.keep_alive_us = std::max(summary.keep_alive_us, verdict.preemption.keep_alive_us);
        summary.copy_burst_ns = base::earlier(summary.copy_burst_ns, verdict.copy_burst_ns);
        summary.together |= verdict.suspend && interrupt_of(units_[queue.own]) == ipc::Interrupt::kTogether;
        const bool runs = queue.ready && watched && !verdict.suspend;
        followed_ |= runs || queue.stopping_since_ns != 0 || queue.resuming_since_ns != 0;
        polled_ |= runs && (queue.device_progress || queue.silence.pending());
        // If a queue waits for its host or another device, only polling the queue shows when that wait ends, even while
        // the queue is suspended. So such a client is followed and polled.
        const bool stands = watched && queue.stands && queue.device_progress;
        followed_ |= stands;
        polled_ |= stands;
    }
    return summary;
}

// Returns how running work is treated. Victims of one priority are taken off in one call: calls by each agent would
// wait for each other in the driver (docs/decisions/010). This excludes units that take turns, because the agent that
// makes the call measures the turn.
ipc::Interrupt ClientSlots::interrupt_of(const OwnUnit& own) const {
    const sched::Preemption& preemption = own.verdict().preemption;
    if (preemption.interrupt == sched::Interrupt::kTakenOff && preemption.has_peer &&
        std::find(acted_for_.begin(), acted_for_.end(), own.key.device) != acted_for_.end())
        return ipc::Interrupt::kTogether;
    return static_cast<ipc::Interrupt>(preemption.interrupt);
}

void ClientSlots::write_header(const Summary& summary) {
    ipc::Header& header = view_.region->header;
    if (update(header.together, summary.together ? 1U : 0U)) {
        header.taken_together.store(0, std::memory_order_relaxed);
        if (view_.together != nullptr) view_.together->push_back(view_.id);
    }
    put(header.expect_interrupt, summary.expects_interrupt ? 1U : 0U);
    put(header.keep_alive_wanted, summary.has_victims ? 1U : 0U);
    update(header.keep_alive_always_us, summary.keep_alive_us);  // the client reads this and the next word by itself
    update(header.copy_burst_ns, summary.copy_burst_ns);
    if (put(header.watching, summary.watching ? 1U : 0U) && summary.watching) {
        began_watching_ = true;
        quiet_ns_ = 0;  // the client did not report while it was unwatched
        unasked_ = unwritten_ = static_cast<uint32_t>(queues_.size());  // asks about what was launched unwatched
    }
}

void ClientSlots::beat(int64_t now_ns) {
    if (now_ns - heartbeat_ns_ < ipc::kBeatEveryNs) return;
    heartbeat_ns_ = now_ns;
    view_.region->header.heartbeat_ns.store(now_ns, std::memory_order_release);
}

void ClientSlots::direct_queue(uint32_t at, int64_t now_ns) {
    QueueHistory& queue = queues_[at];
    const sched::Verdict& verdict = queue.verdict;
    const sched::Preemption& preemption = verdict.preemption;
    ipc::QueueSlot& slot = view_.region->slots[at];
    const sched::UnitState* by = units_[queue.own].table->maker_of_room(verdict);
    update(slot.reason, static_cast<ipc::ReasonCode>(verdict.reason));
    queue.by_pid = by != nullptr ? by->unit.pid : 0;
    queue.by_client = by != nullptr ? client_of(verdict.by) : 0;
    update(slot.by_pid, queue.by_pid);
    // A background program's work in flight is always kept short, since a program about which no verdict tells may need
    // the device.
    const bool is_background = units_[queue.own].known().unit.background != 0;
    put(slot.window_ns, verdict.preemptible || queue.lent || is_background ? kWindowNs : int64_t{0});

    put(slot.device_timeslice_us, preemption.timeslice_us);
    update(slot.gates_apart_us, preemption.gates_apart_us);  // the client reads this by itself
    if (verdict.imminent && !queue.warmed) {
        const int64_t hold_ns = std::max<int64_t>(verdict.hold_until_ns - now_ns, 0);
        put(slot.warm_us, static_cast<uint32_t>(std::min(hold_ns, sched::kBriefHoldNs) / base::kMicrosecond));
        const int64_t behind_ns = std::min(verdict.hold_behind_ns, sched::kBriefHoldNs);
        put(slot.warm_behind_us, static_cast<uint32_t>(behind_ns / base::kMicrosecond));
        put(slot.warm_to_end, verdict.hold_to_end ? 1U : 0U);
        slot.warm.fetch_add(1, std::memory_order_release);
        touched_ = true;
    }
    queue.warmed = verdict.imminent;
    update(slot.suspended_for_nobody, verdict.suspend && verdict.by == 0 ? 1U : 0U);
    const bool calls = put(slot.interrupt, static_cast<uint32_t>(interrupt_of(units_[queue.own]))) &&
                       preemption.interrupt != sched::Interrupt::kNone;
    if (preemption.on_its_way && (calls || !queue.on_its_way)) {
        departure_.begin(queue.costs, now_ns, interrupt_of(units_[queue.own]) == ipc::Interrupt::kKeptOff);
        departure_rung_ = false;
        leaves_for_ = queue.by_client;
    }
    queue.on_its_way = preemption.on_its_way;
    const bool was_suspended = queue.suspended;
    const bool changed = was_suspended != verdict.suspend;
    if (changed) slot.directed_ns.store(now_ns, std::memory_order_relaxed);
    put(slot.suspended, verdict.suspend ? 1U : 0U);
    ipc::settle_gate(slot);
    if (changed) note_suspension(at, now_ns);
    journal_verdict(at, was_suspended, now_ns);
    follow_hold(at, now_ns);
}

// Notes that the queue is suspended from now on, or resumed.
void ClientSlots::note_suspension(uint32_t at, int64_t now_ns) {
    QueueHistory& queue = queues_[at];
    queue.suspended = queue.verdict.suspend;
    queue.changed_ns = now_ns;
    if (queue.suspended) {
        queue.delay.begin();
        queue.suspended_since_ns = now_ns;
        if (queue.ready) ++queue.preemptions;
    }
    begin_stop(at, now_ns);
    if (base::log_enabled(base::LogLevel::kDebug)) log_change(queue);
    tell_decision(at);
}

void ClientSlots::write_record(uint32_t at, int64_t now_ns) {
    const QueueHistory& queue = queues_[at];
    QueueRecord& record = view_.record->make(at);
    const bool waits = queue.suspended && queue.ready;
    note(record.suspended, queue.suspended ? 1U : 0U);
    note(record.reason, static_cast<uint32_t>(queue.verdict.reason));
    note(record.mechanism, static_cast<uint32_t>(queue.verdict.preemption.mechanism));
    if (queue.suspended && queue.verdict.by != 0) note_kept_off(record.kept_off, queue.verdict);
    note(record.by_pid, queue.by_pid);
    note(record.by_client, queue.by_client);
    note(record.priority, queue.priority);
    note(record.since_ns, queue.verdict.since_ns);
    note(record.delayed_ns, queue.delay.total_ns());
    note(record.waits_since_ns, waits ? std::max(now_ns, queue.ready_since_ns) : int64_t{0});
    note(record.preemptions, queue.preemptions);
    note(record.ready_since_ns, queue.ready ? queue.ready_since_ns : int64_t{0});
    note(record.watched, queue.is_followed() ? 1U : 0U);
    const policy::Note& said = queue.verdict.note;
    note(record.note_code, static_cast<uint32_t>(said.code));
    note(record.note_first, said.first);
    note(record.note_second, said.second);
    record.used.store(1, std::memory_order_release);
}

bool ClientSlots::ring() {
    ipc::Header& header = view_.region->header;
    const bool rang = std::exchange(touched_, false);
    if (rang) ipc::ring_directive(header);
    if (is_leaving() && !std::exchange(departure_rung_, true))
        departure_directive_ = header.directive.load(std::memory_order_relaxed);
    return rang;
}

RoomFor ClientSlots::makes_room(int64_t now_ns) {
    if (!is_leaving()) return {};
    const uint32_t carried_out = view_.region->header.carried_out.load(std::memory_order_acquire);
    const ipc::Header& header = view_.region->header;
    const bool awaits_server = header.together.load(std::memory_order_relaxed) != 0 &&
                               header.taken_together.load(std::memory_order_acquire) == 0;
    const bool called =
        departure_rung_ && !awaits_server && static_cast<int32_t>(carried_out - departure_directive_) >= 0;
    if (called)
        for (uint32_t at = 0; at < queues_.size(); ++at)
            if (queues_[at].used && queues_[at].scheduled) journal_interrupt(at, now_ns);
    const int64_t until_ns = departure_.keep_until_ns(called, now_ns);
    return {.client = leaves_for_, .until_ns = until_ns, .settled = !is_leaving()};
}

// Asks the client to keep the device. The client reads this by itself, so it is not rung.
void ClientSlots::keep_alive(const RoomFor& room, int64_t now_ns) {
    if (std::exchange(kept_as_of_ns_, now_ns) != now_ns) kept_until_ns_ = 0;
    int64_t& until_ns = room.settled ? kept_settled_ns_ : kept_until_ns_;
    until_ns = std::max(until_ns, room.until_ns);
    update(view_.region->header.keep_alive_until_ns, std::max(kept_until_ns_, kept_settled_ns_));
}

bool ClientSlots::began_watching() { return std::exchange(began_watching_, false); }

void ClientSlots::let_go(int64_t now_ns) {
    settle_delays(now_ns);
    for (uint32_t at = 0; at < queues_.size(); ++at) {
        QueueHistory& queue = queues_[at];
        if (!queue.used) continue;
        write_journal(at, JournalKind::kGone, now_ns, now_ns);
        leave_limits(queue);
        ipc::QueueSlot& slot = view_.region->slots[at];
        put(slot.window_ns, int64_t{0});
        put(slot.device_timeslice_us, 0U);
        update(slot.gates_apart_us, 0U);
        put(slot.interrupt, 0U);
        if (put(slot.suspended, 0U)) ipc::settle_gate(slot);
        if (queue.suspended) {
            XLOG_DEBG(
                "queue 0x%llx of pid %d resumed: its process leaves the scheduler; its work was delayed by %.3f "
                "ms",
                static_cast<unsigned long long>(queue.handle), view_.pid, base::milliseconds(queue.delay.ns()));
        }
        queue.suspended = false;
        follow_hold(at, now_ns);
        queue = QueueHistory{};
    }
    put(view_.region->header.watching, 0U);
    if (update(view_.region->header.together, 0U) && view_.together != nullptr) view_.together->push_back(view_.id);
    put(view_.region->header.expect_interrupt, 0U);
    put(view_.region->header.keep_alive_wanted, 0U);
    update(view_.region->header.keep_alive_always_us, 0U);
    update(view_.region->header.copy_burst_ns, int64_t{0});
    update(view_.region->header.memory_joint_limit, uint64_t{0});
    suspended_ = followed_ = false;
    units_.remove_all();
    ring();
}

}  // namespace xsched::dispatch
