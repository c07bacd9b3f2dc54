#include "dispatch/unit_table.h"

#include <algorithm>

#include "dispatch/means.h"

namespace xsched::dispatch {

namespace {

sched::UnitState first_queue(const QueueNumbers& numbers, uint64_t id, int32_t pid, bool held) {
    sched::UnitState state;
    state.unit.id = id;
    state.unit.device = numbers.device;
    state.unit.pid = pid;
    state.unit.priority = numbers.priority;
    state.unit.utilization = numbers.utilization;
    state.unit.timeslice_us = numbers.timeslice_us;
    state.unit.deadline_us = numbers.deadline_us;
    state.unit.laxity_us = numbers.laxity_us;
    state.unit.lax_priority = numbers.lax_priority;
    state.unit.critical_priority = numbers.critical_priority;
    state.unit.ready_since_ns = numbers.ready_since_ns;
    state.unit.command_ns = numbers.command_ns;
    state.unit.busy_ns = numbers.busy_ns;
    state.ready = numbers.ready;
    state.idle_since_ns = numbers.idle_since_ns;
    state.held = held;
    state.progress_ns = numbers.progress_ns;
    state.expect_ns = numbers.expect_ns;
    state.period_ns = numbers.period_us * 1000;
    state.off_ns = off_ns(numbers.level, numbers.command_ns);
    state.switch_ns = numbers.switch_ns;
    return state;
}

// The tighter of two limits of which 0 means none.
int64_t tighter(int64_t a, int64_t b) {
    if (a == 0 || b == 0) return a + b;
    return std::min(a, b);
}

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
    state.idle_since_ns = std::max(state.idle_since_ns, numbers.idle_since_ns);
    state.progress_ns = std::max(state.progress_ns, numbers.progress_ns);
    unit.command_ns = std::max(unit.command_ns, numbers.command_ns);
    unit.busy_ns += numbers.busy_ns;
    unit.utilization = std::max(unit.utilization, numbers.utilization);
    unit.timeslice_us = std::max(unit.timeslice_us, numbers.timeslice_us);
    unit.deadline_us = tighter(unit.deadline_us, numbers.deadline_us);
    unit.laxity_us = std::max(unit.laxity_us, numbers.laxity_us);
    state.expect_ns = tighter(state.expect_ns, numbers.expect_ns);
    state.period_ns = tighter(state.period_ns, numbers.period_us * 1000);
    state.off_ns = std::max(state.off_ns, off_ns(numbers.level, numbers.command_ns));
    state.switch_ns = std::max(state.switch_ns, numbers.switch_ns);
    unit.lax_priority = std::max(unit.lax_priority, numbers.lax_priority);
    unit.critical_priority = std::max(unit.critical_priority, numbers.critical_priority);
}

}  // namespace

void UnitTable::begin_pass() {
    keys_.swap(previous_);
    keys_.clear();
    units_.clear();
}

void UnitTable::begin_client(uint32_t client_id, int32_t pid, int64_t stuck_since_ns, bool lingers,
                             uint32_t waits) {
    client_begin_ = units_.size();
    client_id_ = client_id;
    pid_ = pid;
    stuck_since_ns_ = stuck_since_ns;
    lingers_ = lingers;
    waits_ = waits;
}

uint32_t UnitTable::add(const QueueNumbers& numbers, bool held) {
    Key key{.client_id = client_id_, .priority = numbers.priority, .device = numbers.device, .held = held};
    for (size_t i = client_begin_; i < keys_.size(); ++i) {
        if (!keys_[i].same_unit(key)) continue;
        join(units_[i], numbers);
        return static_cast<uint32_t>(i);
    }
    key.id = id_of(key);
    if (key.id == 0) key.id = ++last_id_;
    keys_.push_back(key);
    units_.push_back(first_queue(numbers, key.id, pid_, held));
    units_.back().stuck_since_ns = stuck_since_ns_;
    units_.back().lingers = lingers_;
    units_.back().waits = waits_;
    return static_cast<uint32_t>(units_.size() - 1);
}

// In the pass before, mostly at the same position. 0: it is new.
uint64_t UnitTable::id_of(const Key& key) const {
    const size_t guess = keys_.size();
    if (guess < previous_.size() && previous_[guess].same_unit(key)) return previous_[guess].id;
    for (const Key& known : previous_) {
        if (known.same_unit(key)) return known.id;
    }
    return 0;
}

const sched::UnitState* UnitTable::find(uint64_t id) const {
    for (const sched::UnitState& state : units_) {
        if (state.unit.id == id) return &state;
    }
    return nullptr;
}

uint32_t UnitTable::previous_client_of(uint64_t id) const {
    for (const Key& key : previous_) {
        if (key.id == id) return key.client_id;
    }
    return 0;
}

}  // namespace xsched::dispatch
