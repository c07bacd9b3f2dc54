// One client: the verdicts on its units become directives in its slots.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "dispatch/client.h"

namespace xsched::dispatch {

namespace {

// The heartbeat shares its cache line with words that the client reads for every command: no more often than useful.
constexpr int64_t kBeatEveryNs = ipc::kHeartbeatNs / 4;

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

}  // namespace

template <typename T>
bool Client::put(std::atomic<T>& field, T value) {
    const bool changed = update(field, value);
    touched_ |= changed;
    return changed;
}

void Client::close_gates(uint32_t own, int64_t now_ns) {
    constexpr size_t kFew = 8;  // for more, all at once is as good
    if (queues_.size() > kFew) return;
    for (uint32_t at = 0; at < queues_.size(); ++at) {
        const QueueMemory& queue = queues_[at];
        if (!queue.used || !queue.scheduled || queue.own != own || !queue.ready || queue.suspended) continue;
        begin_suspension(now_ns);
        ipc::QueueSlot& slot = view_.region->slots[at];
        put(slot.suspended, 1U);
        ipc::settle_gate(slot);
    }
}

// A queue that is suspended with an old heartbeat would take the server for dead.
void Client::begin_suspension(int64_t now_ns) {
    if (!std::exchange(suspended_, true)) heartbeat_ns_ = 0;
    beat(now_ns);
}

void Client::direct(int64_t now_ns) {
    settle_delays(now_ns);
    bool watching = false;
    bool suspended = false;
    bool linger_wanted = false;
    bool suspect = false;
    uint32_t unscheduled = 0;
    polled_ = followed_ = false;
    for (QueueMemory& queue : queues_) {
        if (!queue.used) continue;
        if (!queue.scheduled) {
            ++unscheduled;
            continue;
        }
        const Own& unit = own(queue);
        queue.verdict = unit.table->verdict(unit.at);
        watching |= queue.verdict.watched;
        suspended |= queue.verdict.suspend;
        suspect |= queue.verdict.suspect;
        linger_wanted = linger_wanted || unit.table->rivals.has_victims(unit.at, unit.table->units[unit.at]);
        const bool runs = queue.ready && queue.verdict.watched && !queue.verdict.suspend;
        followed_ |= runs;
        polled_ |= runs && queue.device_progress;
    }
    choose_means(now_ns);
    if (suspended)
        begin_suspension(now_ns);
    else
        suspended_ = false;
    ipc::Header& header = view_.region->header;
    put(header.prompt, prompt_ ? 1U : 0U);
    put(header.linger_wanted, linger_wanted ? 1U : 0U);
    if (put(header.watching, watching ? 1U : 0U) && watching) began_watching_ = true;
    bool warms = false;
    for (uint32_t at = 0; at < queues_.size(); ++at) {
        QueueMemory& queue = queues_[at];
        if (!queue.used || !queue.scheduled) continue;
        if (began_watching_) ask(at);  // what was launched unwatched
        queue.verdict.imminent = queue.verdict.imminent && !std::exchange(warms, warms || queue.verdict.imminent);
        direct_queue(at, queue.verdict, now_ns);
        if (view_.record != nullptr) write_record(at, now_ns);
    }
    if (view_.record == nullptr) return;
    note(view_.record->suspect, suspect ? 1U : 0U);
    note(view_.record->unscheduled, unscheduled);
}

void Client::beat(int64_t now_ns) {
    if (now_ns - heartbeat_ns_ < kBeatEveryNs) return;
    heartbeat_ns_ = now_ns;
    view_.region->header.heartbeat_ns.store(now_ns, std::memory_order_release);
}

const sched::UnitState* Client::unit_of(const QueueMemory& queue, uint64_t id) const {
    return id != 0 ? own(queue).table->maker_of_room(queue.verdict) : nullptr;
}

void Client::direct_queue(uint32_t at, const sched::Verdict& verdict, int64_t now_ns) {
    QueueMemory& queue = queues_[at];
    ipc::QueueSlot& slot = view_.region->slots[at];
    const sched::UnitState* by = unit_of(queue, verdict.by);
    update(slot.reason, static_cast<ipc::ReasonCode>(verdict.reason));
    queue.by_pid = by != nullptr ? by->unit.pid : 0;
    queue.by_client = by != nullptr ? client_of(verdict.by) : 0;
    update(slot.by_pid, queue.by_pid);
    put(slot.window_ns, verdict.preemptible ? kWindowNs : int64_t{0});

    put(slot.device_timeslice_us, queue.timeslice_us);
    if (verdict.imminent && !queue.warmed) {
        slot.warm.fetch_add(1, std::memory_order_release);
        touched_ = true;
    }
    queue.warmed = verdict.imminent;
    update(slot.held, verdict.suspend && verdict.by == 0 ? 1U : 0U);
    if (put(slot.interrupt, static_cast<uint32_t>(queue.interrupt)) && queue.interrupt == ipc::Interrupt::kKeptOff)
        leaving_ = {.for_client = queue.by_client, .since_ns = now_ns, .costs = queue.costs};
    const bool changed = queue.suspended != verdict.suspend;
    if (changed) slot.directed_ns.store(now_ns, std::memory_order_relaxed);
    put(slot.suspended, verdict.suspend ? 1U : 0U);
    ipc::settle_gate(slot);
    if (!changed) return;

    queue.suspended = verdict.suspend;
    if (verdict.suspend) {
        queue.kept_off_ns = 0;
        queue.kept_off_by = 0;
        queue.kept_off_by_others = false;
        if (queue.ready) ++queue.preemptions;
    }
    if (base::log_enabled(base::LogLevel::kDebug)) log_change(queue);
}

void Client::write_record(uint32_t at, int64_t now_ns) {
    const QueueMemory& queue = queues_[at];
    QueueRecord& record = view_.record->make(at);
    const bool waits = queue.suspended && queue.ready;
    note(record.suspended, queue.suspended ? 1U : 0U);
    note(record.reason, static_cast<uint32_t>(queue.verdict.reason));
    note(record.mechanism, static_cast<uint32_t>(queue.means));
    note(record.by_pid, queue.by_pid);
    note(record.by_client, queue.by_client);
    note(record.priority, queue.priority);
    note(record.since_ns, queue.verdict.since_ns);
    note(record.delayed_ns, queue.suspended_total_ns);
    note(record.waits_since_ns, waits ? std::max(now_ns, queue.ready_since_ns) : int64_t{0});
    note(record.preemptions, queue.preemptions);
    record.used.store(1, std::memory_order_release);
}

void Client::log_change(const QueueMemory& queue) const {
    const policy::Unit& unit = own(queue).state.unit;
    const auto handle = static_cast<unsigned long long>(queue.handle);
    const char* reason = sched::reason_sentence(queue.verdict.reason);
    const sched::UnitState* by = unit_of(queue, queue.verdict.by);
    char whom[64] = "";
    if (by != nullptr) snprintf(whom, sizeof(whom), " (pid %d, priority %d)", by->unit.pid, by->unit.priority);
    if (queue.suspended) {
        XLOG_DEBG("queue 0x%llx of pid %d (priority %d) suspended: %s%s; by %s", handle, unit.pid, unit.priority, reason,
                  whom, means_sentence(queue.means));
    } else {
        char culprit[32] = "";
        if (queue.kept_off_by != 0) snprintf(culprit, sizeof(culprit), ", for pid %d", queue.kept_off_by);
        XLOG_DEBG("queue 0x%llx of pid %d (priority %d) resumed: %s%s; its work was delayed by %.3f ms%s%s", handle,
                  unit.pid, unit.priority, reason, whom, base::milliseconds(queue.kept_off_ns), culprit,
                  queue.kept_off_by_others ? " and others" : "");
    }
}

bool Client::ring() {
    ipc::Header& header = view_.region->header;
    const bool rang = std::exchange(touched_, false);
    if (rang) ipc::ring_directive(header);
    if (leaving_.for_client != 0 && !leaving_.rung) {
        leaving_.rung = true;
        leaving_.directive = header.directive.load(std::memory_order_relaxed);
    }
    return rang;
}

RoomFor Client::makes_room(int64_t now_ns) {
    if (leaving_.for_client == 0) return {};
    const RoomFor room{.client = leaving_.for_client,
                       .until_ns = std::max(leaving_.since_ns + leaving_.costs.off_ns(),
                                         now_ns + leaving_.costs.effect_ns())};
    const uint32_t carried_out = view_.region->header.carried_out.load(std::memory_order_acquire);
    const bool called = leaving_.rung && static_cast<int32_t>(carried_out - leaving_.directive) >= 0;
    if (called || now_ns - leaving_.since_ns >= leaving_.costs.most_off_ns()) leaving_ = {};
    return room;
}

// It looks at this by itself: nobody is rung.
void Client::linger(int64_t until_ns) {
    std::atomic<int64_t>& told_ns = view_.region->header.linger_until_ns;
    update(told_ns, std::max(told_ns.load(std::memory_order_relaxed), until_ns));
}

bool Client::began_watching() { return std::exchange(began_watching_, false); }

void Client::let_go(int64_t now_ns) {
    settle_delays(now_ns);
    for (uint32_t at = 0; at < queues_.size(); ++at) {
        QueueMemory& queue = queues_[at];
        if (!queue.used) continue;
        leave_limits(queue);
        ipc::QueueSlot& slot = view_.region->slots[at];
        put(slot.window_ns, int64_t{0});
        put(slot.device_timeslice_us, 0U);
        put(slot.interrupt, 0U);
        if (put(slot.suspended, 0U)) ipc::settle_gate(slot);
        if (queue.suspended) {
            XLOG_DEBG("queue 0x%llx of pid %d resumed: its process leaves the scheduler; its work was delayed by %.3f "
                      "ms",
                      static_cast<unsigned long long>(queue.handle), view_.pid, base::milliseconds(queue.kept_off_ns));
        }
        queue = QueueMemory{};
    }
    put(view_.region->header.watching, 0U);
    put(view_.region->header.prompt, 0U);
    put(view_.region->header.linger_wanted, 0U);
    suspended_ = followed_ = false;
    for (uint32_t i = 0; i < own_.size(); ++i)
        if (own_[i].here) release_own(i);
    ring();
}

}  // namespace xsched::dispatch
