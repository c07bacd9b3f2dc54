#include "dispatch/client.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/clock.h"
#include "base/log.h"

namespace xsched::dispatch {

namespace {

// A running queue without progress for so long: its agent is rung.
constexpr int64_t kAskAfterNs = 500 * base::kMicrosecond;
// The heartbeat shares its cache line with words that the client reads for every command: no more often than useful.
constexpr int64_t kBeatEveryNs = ipc::kHeartbeatNs / 4;

template <typename T>
bool update(std::atomic<T>& field, T value) {
    if (field.load(std::memory_order_relaxed) == value) return false;
    field.store(value, std::memory_order_seq_cst);
    return true;
}

double milliseconds(int64_t ns) { return static_cast<double>(ns) / 1e6; }

}  // namespace

template <typename T>
bool Client::put(std::atomic<T>& field, T value) {
    const bool changed = update(field, value);
    touched_ |= changed;
    return changed;
}

void Client::scan(UnitTable& units, int64_t now_ns, int64_t last_pass_ns) {
    const ipc::Header& header = view_.region->header;
    units.begin_client(view_.id, view_.pid, stuck_since_ns(now_ns), header.lingers.load(std::memory_order_acquire) != 0,
                       header.waits.load(std::memory_order_relaxed));
    delays_.clear();
    QueueNumbers numbers;
    const uint32_t used = view_.region->header.slot_end.load(std::memory_order_acquire);
    const uint32_t end = std::min(std::max(used, static_cast<uint32_t>(queues_.size())), ipc::kMostQueues);
    for (uint32_t at = 0; at < end; ++at) {
        if (read_slot(view_.region->slots[at], now_ns, numbers)) {
            if (at >= queues_.size()) {
                queues_.resize(at + 1);
                delays_.reserve(queues_.capacity());
            }
            see(at, numbers, units, now_ns, last_pass_ns);
        } else if (at < queues_.size() && queues_[at].used) {
            forget(at);
        }
    }
    while (!queues_.empty() && !queues_.back().used) queues_.pop_back();
}

// Since when no call that its threads have in the driver has returned; 0: there is none.
int64_t Client::stuck_since_ns(int64_t now_ns) {
    constexpr uint32_t kInside = 0xffff;
    const uint32_t calls = view_.region->header.driver_calls.load(std::memory_order_acquire);
    if (std::exchange(driver_calls_, calls) != calls) driver_calls_ns_ = now_ns;
    return (calls & kInside) != 0 ? driver_calls_ns_ : 0;
}

void Client::see(uint32_t at, QueueNumbers& numbers, UnitTable& units, int64_t now_ns, int64_t last_pass_ns) {
    QueueMemory& queue = queues_[at];
    if (!queue.used || queue.handle != numbers.handle) {
        queue = QueueMemory{};
        queue.used = true;
        queue.handle = numbers.handle;
    }
    if (queue.suspended && numbers.ready)
        note_delay(queue, now_ns - std::clamp(numbers.ready_since_ns, last_pass_ns, now_ns));
    // A device that reports by itself rings nobody: the queue is idle from when that is seen.
    if (numbers.device_progress && queue.ready && !numbers.ready) queue.idle_seen_ns = now_ns;
    numbers.idle_since_ns = std::max(numbers.idle_since_ns, queue.idle_seen_ns);
    queue.device_progress = numbers.device_progress;
    if (queue.completed != numbers.completed || !numbers.ready || !queue.ready) {
        queue.completed = numbers.completed;
        queue.asked_ns = queue.progress_ns = now_ns;
    } else if (queue.device_progress && !queue.suspended && now_ns - queue.asked_ns >= kAskAfterNs) {
        queue.asked_ns = now_ns;  // its last commands may not report by themselves
        ask(at);
    }
    queue.ready = numbers.ready;
    queue.level = numbers.level;
    numbers.progress_ns = numbers.ready ? queue.progress_ns : 0;
    queue.unit = units.add(numbers, queue.held || view_.held);
}

// The last verdict kept it off for so long.
void Client::note_delay(QueueMemory& queue, int64_t ns) {
    queue.kept_off_ns += ns;
    queue.suspended_total_ns += ns;
    const uint64_t by = queue.verdict.by;
    if (by == 0 || ns == 0) return;
    if (queue.kept_off_by == 0) queue.kept_off_by = queue.by_pid;
    queue.kept_off_by_others |= queue.kept_off_by != queue.by_pid;
    const auto known = std::find_if(delays_.begin(), delays_.end(), [by](const Delay& delay) { return delay.by == by; });
    if (known == delays_.end())
        delays_.push_back({by, ns});
    else
        known->ns = std::max(known->ns, ns);
}

// The slot is free; whoever uses it next finds no directive in it.
void Client::forget(uint32_t at) {
    ipc::QueueSlot& slot = view_.region->slots[at];
    if (update(slot.suspended, 0U)) ipc::settle_gate(slot);
    queues_[at] = QueueMemory{};
}

void Client::direct(const UnitTable& units, const sched::Plan& plan, const Rivals& rivals, int64_t now_ns) {
    bool competing = false;
    bool watching = false;
    bool suspended = false;
    bool linger_wanted = false;
    polled_ = false;
    for (QueueMemory& queue : queues_) {
        if (!queue.used) continue;
        queue.verdict = plan.verdicts[queue.unit];
        competing |= queue.verdict.contended;
        watching |= queue.verdict.watched;
        suspended |= queue.verdict.suspend;
        linger_wanted = linger_wanted || Rivals::has_victims(units.units()[queue.unit].unit, units.units());
        polled_ |= queue.device_progress && queue.ready && queue.verdict.watched && !queue.verdict.suspend;
    }
    choose_means(units, rivals, now_ns);
    // First: a queue that is suspended with an old heartbeat would take the server for dead.
    beat(suspended, now_ns);
    ipc::Header& header = view_.region->header;
    put(header.competing, competing ? 1U : 0U);
    put(header.prompt, prompt_ ? 1U : 0U);
    put(header.linger_wanted, linger_wanted ? 1U : 0U);
    if (put(header.watching, watching ? 1U : 0U) && watching) began_watching_ = true;
    bool warms = false;
    for (uint32_t at = 0; at < queues_.size(); ++at) {
        QueueMemory& queue = queues_[at];
        if (!queue.used) continue;
        if (began_watching_) ask(at);  // what was launched unwatched
        queue.verdict.imminent = queue.verdict.imminent && !std::exchange(warms, warms || queue.verdict.imminent);
        direct_queue(at, units, queue.verdict, now_ns);
    }
}

// Its agent makes the device report.
void Client::ask(uint32_t at) {
    view_.region->slots[at].ask.fetch_add(1, std::memory_order_release);
    touched_ = true;
}

void Client::beat(bool suspended, int64_t now_ns) {
    if (suspended && (!suspended_ || now_ns - heartbeat_ns_ >= kBeatEveryNs)) {
        heartbeat_ns_ = now_ns;
        view_.region->header.heartbeat_ns.store(now_ns, std::memory_order_release);
    }
    suspended_ = suspended;
}

void Client::direct_queue(uint32_t at, const UnitTable& units, const sched::Verdict& verdict, int64_t now_ns) {
    QueueMemory& queue = queues_[at];
    ipc::QueueSlot& slot = view_.region->slots[at];
    const sched::UnitState* by = verdict.by != 0 ? units.find(verdict.by) : nullptr;
    update(slot.reason, static_cast<ipc::ReasonCode>(verdict.reason));
    queue.by_pid = by != nullptr ? by->unit.pid : 0;
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
        leaving_ = {.for_pid = queue.by_pid, .since_ns = now_ns};
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
    if (base::log_enabled(base::LogLevel::kDebug)) log_change(queue, units);
}

void Client::log_change(const QueueMemory& queue, const UnitTable& units) const {
    const policy::Unit& unit = units.units()[queue.unit].unit;
    const auto handle = static_cast<unsigned long long>(queue.handle);
    const char* reason = sched::reason_sentence(queue.verdict.reason);
    const sched::UnitState* by = queue.verdict.by != 0 ? units.find(queue.verdict.by) : nullptr;
    char whom[64] = "";
    if (by != nullptr) snprintf(whom, sizeof(whom), " (pid %d, priority %d)", by->unit.pid, by->unit.priority);
    if (queue.suspended) {
        XLOG_DEBG("queue 0x%llx of pid %d (priority %d) suspended: %s%s; by %s", handle, unit.pid, unit.priority, reason,
                  whom, means_sentence(queue.means));
    } else {
        char culprit[32] = "";
        if (queue.kept_off_by != 0) snprintf(culprit, sizeof(culprit), ", for pid %d", queue.kept_off_by);
        XLOG_DEBG("queue 0x%llx of pid %d (priority %d) resumed: %s%s; its work was delayed by %.3f ms%s%s", handle,
                  unit.pid, unit.priority, reason, whom, milliseconds(queue.kept_off_ns), culprit,
                  queue.kept_off_by_others ? " and others" : "");
    }
}

void Client::ring() {
    ipc::Header& header = view_.region->header;
    if (touched_) ipc::ring_directive(header);
    touched_ = false;
    if (leaving_.for_pid == 0 || leaving_.rung) return;
    leaving_.rung = true;
    leaving_.directive = header.directive.load(std::memory_order_relaxed);
}

RoomFor Client::makes_room(int64_t now_ns) {
    if (leaving_.for_pid == 0) return {};
    const RoomFor room{.pid = leaving_.for_pid,
                       .until_ns = std::max(leaving_.since_ns + kLingerNs, now_ns + kEffectNs)};
    const uint32_t carried_out = view_.region->header.carried_out.load(std::memory_order_acquire);
    const bool called = leaving_.rung && static_cast<int32_t>(carried_out - leaving_.directive) >= 0;
    if (called || now_ns - leaving_.since_ns >= kMostLingerNs) leaving_ = {};
    return room;
}

// It looks at this by itself: nobody is rung.
void Client::linger(int64_t until_ns) {
    std::atomic<int64_t>& told_ns = view_.region->header.linger_until_ns;
    update(told_ns, std::max(told_ns.load(std::memory_order_relaxed), until_ns));
}

bool Client::began_watching() { return std::exchange(began_watching_, false); }

bool Client::set_held(uint64_t handle, bool held) {
    if (handle == 0) {
        view_.held = held;
        if (!held) {
            for (QueueMemory& queue : queues_) queue.held = false;
        }
        return true;
    }
    QueueNumbers numbers;
    for (uint32_t at = 0; at < ipc::kMostQueues; ++at) {
        if (!read_slot(view_.region->slots[at], 0, numbers) || numbers.handle != handle) continue;
        if (at >= queues_.size()) queues_.resize(at + 1);
        QueueMemory& queue = queues_[at];
        if (!queue.used || queue.handle != handle) queue = QueueMemory{};
        queue.used = true;
        queue.handle = handle;
        queue.held = held;
        return true;
    }
    return false;
}

void Client::let_go() {
    for (uint32_t at = 0; at < queues_.size(); ++at) {
        QueueMemory& queue = queues_[at];
        if (!queue.used) continue;
        ipc::QueueSlot& slot = view_.region->slots[at];
        put(slot.window_ns, int64_t{0});
        put(slot.device_timeslice_us, 0U);
        put(slot.interrupt, 0U);
        if (put(slot.suspended, 0U)) ipc::settle_gate(slot);
        if (queue.suspended) {
            XLOG_DEBG("queue 0x%llx of pid %d resumed: its process leaves the scheduler; its work was delayed by %.3f "
                      "ms",
                      static_cast<unsigned long long>(queue.handle), view_.pid, milliseconds(queue.kept_off_ns));
        }
        queue.suspended = false;
    }
    put(view_.region->header.competing, 0U);
    put(view_.region->header.watching, 0U);
    put(view_.region->header.prompt, 0U);
    put(view_.region->header.linger_wanted, 0U);
    suspended_ = false;
    ring();
}

}  // namespace xsched::dispatch
