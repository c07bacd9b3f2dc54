// One client: what is read from its slots. What is written into them: client_direct.cpp, client_means.cpp.
#include "dispatch/client.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "sched/expectation.h"

namespace xsched::dispatch {

namespace {

// A running queue without progress for so long: its agent is rung.
constexpr int64_t kAskAfterNs = 500 * base::kMicrosecond;

// Ready while one of its queues is: since the oldest burst that lasts. Idle: since the last one ended.
void join(sched::UnitState& state, const QueueNumbers& numbers) {
    policy::Unit& unit = state.unit;
    if (state.ready == numbers.ready) {
        unit.ready_since_ns = numbers.ready ? std::min(unit.ready_since_ns, numbers.ready_since_ns)
                                            : std::max(unit.ready_since_ns, numbers.ready_since_ns);
    } else if (numbers.ready) {
        unit.ready_since_ns = numbers.ready_since_ns;
    }
    state.ready |= numbers.ready;
    state.completed += numbers.completed;
    state.idle_since_ns = std::max(state.idle_since_ns, numbers.idle_since_ns);
    state.progress_ns = std::max(state.progress_ns, numbers.progress_ns);
    unit.command_ns = std::max(unit.command_ns, numbers.command_ns);
    unit.busy_ns += numbers.busy_ns;
    base::merge_hints(unit, numbers);
    state.off_ns = std::max(state.off_ns, off_ns(numbers.level, numbers.command_ns));
    state.switch_ns = std::max(state.switch_ns, numbers.switch_ns);
}

void begin(sched::UnitState& state, const QueueNumbers& numbers) {
    policy::Unit& unit = state.unit;
    static_cast<base::Hints&>(unit) = numbers;
    unit.ready_since_ns = numbers.ready_since_ns;
    state.ready = numbers.ready;
    join(state, numbers);
}

}  // namespace

Client::Client(const ClientView& view, UnitTable& units) : view_(view), units_(units), share_(view.limits) {}

bool Client::scan(int64_t now_ns, uint32_t most) {
    if (scanned_ == 0) {
        settle_delays(now_ns);
        stuck_since_ns_ = stuck_since_ns(now_ns);
        announced_over_ns_ = 0;
        for (Own& own : own_) own.queues = 0;
    }
    QueueNumbers numbers;
    const uint32_t used = view_.region->header.slot_end.load(std::memory_order_acquire);
    const uint32_t end = std::min(std::max(used, static_cast<uint32_t>(queues_.size())), ipc::kMostQueues);
    for (; scanned_ < end; ++scanned_) {
        if (most-- == 0) return false;
        const uint32_t at = scanned_;
        if (read_slot(view_.region->slots[at], now_ns, numbers)) {
            if (at >= queues_.size()) queues_.resize(at + 1);
            see(at, numbers, now_ns);
        } else if (at < queues_.size() && queues_[at].used) {
            forget(at);
        }
    }
    scanned_ = 0;
    while (!queues_.empty() && !queues_.back().used) queues_.pop_back();
    publish_units();
    return true;
}

// Since when no call that its threads have in the driver has returned; 0: there is none.
int64_t Client::stuck_since_ns(int64_t now_ns) {
    constexpr uint32_t kInside = 0xffff;
    const uint32_t calls = view_.region->header.driver_calls.load(std::memory_order_acquire);
    if (std::exchange(driver_calls_, calls) != calls) driver_calls_ns_ = now_ns;
    return (calls & kInside) != 0 ? driver_calls_ns_ : 0;
}

// False: its user has as many as it may, and this one runs unscheduled.
bool Client::within_limits(QueueMemory& queue) {
    if (!queue.scheduled) queue.scheduled = share_.take_queue();
    return queue.scheduled;
}

void Client::leave_limits(QueueMemory& queue) {
    if (!queue.scheduled) return;
    share_.return_queue();
    if (queue.has_priority) share_.return_priority(queue.priority);
}

void Client::see(uint32_t at, QueueNumbers& numbers, int64_t now_ns) {
    QueueMemory& queue = queues_[at];
    if (!queue.used || queue.handle != numbers.handle) {
        leave_limits(queue);
        queue = QueueMemory{};
        queue.used = true;
        queue.handle = numbers.handle;
    }
    if (!within_limits(queue)) return;
    numbers.priority = share_.capped(numbers.priority);
    if (!queue.has_priority || queue.wanted_priority != numbers.priority) {
        if (queue.has_priority) share_.return_priority(queue.priority);
        queue.has_priority = true;
        queue.wanted_priority = numbers.priority;
        queue.priority = share_.take_priority(numbers.priority);
    }
    numbers.priority = queue.priority;
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
    queue.ready_since_ns = numbers.ready_since_ns;
    queue.level = numbers.level;
    numbers.progress_ns = numbers.ready ? queue.progress_ns : 0;
    if (numbers.expect_ns != 0)
        announced_over_ns_ = sched::earlier(announced_over_ns_, numbers.expect_ns + sched::Expectation::kSlackNs);
    queue.own = own_of(numbers, queue.held || view_.held, queue.own);
    join_own(own_[queue.own], numbers);
}

// The client's unit that a queue belongs to, mostly the one that it belonged to before.
uint32_t Client::own_of(const QueueNumbers& numbers, bool held, uint32_t guess) {
    const UnitKey key{.device = numbers.device, .priority = numbers.priority, .held = held};
    if (guess < own_.size() && own_[guess].key == key) return guess;
    const auto known = own_at_.find(key);
    if (known != own_at_.end()) return known->second;
    if (own_free_.empty()) {
        own_free_.push_back(static_cast<uint32_t>(own_.size()));
        own_.emplace_back();
    }
    const uint32_t at = own_free_.back();
    own_free_.pop_back();
    own_[at] = Own{.key = key};
    own_at_.emplace(key, at);
    return at;
}

// It has no queues any more.
void Client::release_own(uint32_t at) {
    if (own_[at].here) units_.remove(*own_[at].table, own_[at].at);
    own_at_.erase(own_[at].key);
    own_[at] = Own{.key = {.device = 0, .priority = INT32_MIN}};  // no queue's
    own_free_.push_back(at);
}

void Client::join_own(Own& own, const QueueNumbers& numbers) {
    if (own.queues++ != 0) return join(own.state, numbers);
    const uint64_t id = own.state.unit.id;
    own.state = sched::UnitState{};
    own.state.unit.id = id;
    begin(own.state, numbers);
}

void Client::publish_units() {
    const ipc::Header& header = view_.region->header;
    const bool lingers = header.lingers.load(std::memory_order_acquire) != 0;
    const uint32_t waits = header.waits.load(std::memory_order_relaxed);
    const bool stopped = view_.record != nullptr && view_.record->stopped.load(std::memory_order_relaxed) != 0;
    for (uint32_t i = 0; i < own_.size(); ++i) {
        Own& own = own_[i];
        if (own.queues == 0) {
            if (own.here) release_own(i);
            continue;
        }
        sched::UnitState& state = own.state;
        state.unit.device = own.key.device;
        state.unit.pid = view_.pid;
        state.unit.process = view_.process != 0 ? view_.process : view_.id;
        state.unit.priority = own.key.priority;
        state.held = own.key.held;
        state.stuck_since_ns = stuck_since_ns_;
        state.lingers = lingers;
        state.waits = waits;
        state.stopped = stopped;
        if (own.here) {
            units_.update(*own.table, own.at, state);
        } else {
            state.unit.id = unit_id(view_.id, ++last_unit_);
            own.here = true;
            own.table = &units_.device(own.key.device);
            own.at = units_.add(*own.table, state, {.client = this, .own = i});
        }
    }
}

// Until now each of its queues was as the last scan and the last verdict say.
void Client::settle_delays(int64_t now_ns) {
    settling_.clear();
    for (QueueMemory& queue : queues_) {
        if (!queue.used || !queue.suspended || !queue.ready) continue;
        const int64_t since_ns = std::max(queue.ready_since_ns, delays_settled_ns_);
        if (now_ns > since_ns) note_delay(queue, now_ns - since_ns);
    }
    delays_settled_ns_ = now_ns;
    std::sort(settling_.begin(), settling_.end());
    for (size_t i = 0; i < settling_.size(); ++i)  // the longest of each
        if (i + 1 == settling_.size() || settling_[i + 1].by != settling_[i].by) delays_.push_back(settling_[i]);
}

// The last verdict kept it off for so long.
void Client::note_delay(QueueMemory& queue, int64_t ns) {
    queue.kept_off_ns += ns;
    queue.suspended_total_ns += ns;
    const uint64_t by = queue.verdict.by;
    if (by == 0) return;
    if (queue.kept_off_by == 0) queue.kept_off_by = queue.by_pid;
    queue.kept_off_by_others |= queue.kept_off_by != queue.by_pid;
    settling_.push_back({by, queue.by_client, ns});
}

void Client::caused_delay(int64_t ns) {
    delay_caused_ns_ += ns;
    if (view_.record != nullptr) view_.record->delay_caused_ns.store(delay_caused_ns_, std::memory_order_relaxed);
}

// The slot is free; whoever uses it next finds no directive in it.
void Client::forget(uint32_t at) {
    ipc::QueueSlot& slot = view_.region->slots[at];
    if (slot.suspended.load(std::memory_order_relaxed) != 0) {
        slot.suspended.store(0);
        ipc::settle_gate(slot);
    }
    leave_limits(queues_[at]);
    queues_[at] = QueueMemory{};
    if (view_.record != nullptr) view_.record->make(at).used.store(0, std::memory_order_relaxed);
}

// Its agent makes the device report.
void Client::ask(uint32_t at) {
    view_.region->slots[at].ask.fetch_add(1, std::memory_order_release);
    touched_ = true;
}

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
        if (!queue.used || queue.handle != handle) {
            leave_limits(queue);
            queue = QueueMemory{};
        }
        queue.used = true;
        queue.handle = handle;
        queue.held = held;
        return true;
    }
    return false;
}

}  // namespace xsched::dispatch
