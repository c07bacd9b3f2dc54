#include "dispatch/client_units.h"

#include <algorithm>

#include "base/capped.h"

namespace xsched::dispatch {

namespace {

bool is_scheduled(const UnitKey& key) { return !key.suspended_by_person && key.priority >= PRIORITY_MIN; }

void join_context(sched::UnitState& state, const QueueNumbers& numbers) {
    if (!numbers.ready || numbers.context == 0) return;
    state.several_contexts |= state.context != 0 && state.context != numbers.context;
    state.context = numbers.context;
}

// Adds a queue's state to its unit's. A unit is ready while one of its queues is, since the begin of the oldest burst
// that lasts. Otherwise it is idle, since the end of the last burst. A unit's use is what its queues used while they
// belonged to it: a queue that joins to inherit a priority brings no past.
void join(sched::UnitState& state, const QueueNumbers& numbers, const sched::Costs& costs) {
    policy::Unit& unit = state.unit;
    if (state.ready == numbers.ready) {
        unit.ready_since_ns = numbers.ready ? std::min(unit.ready_since_ns, numbers.ready_since_ns)
                                            : std::max(unit.ready_since_ns, numbers.ready_since_ns);
    } else if (numbers.ready) {
        unit.ready_since_ns = numbers.ready_since_ns;
    }
    join_context(state, numbers);
    state.ready |= numbers.ready;
    state.slowed |= numbers.slowed;
    state.completed += numbers.completed;
    state.copies += numbers.copies;
    state.copied_bytes = base::capped_sum(state.copied_bytes, numbers.copied_bytes);
    state.holds_until_ns = std::max(state.holds_until_ns, numbers.holds_until_ns);
    state.idle_since_ns = std::max(state.idle_since_ns, numbers.idle_since_ns);
    state.progress_ns = std::max(state.progress_ns, numbers.progress_ns);
    state.level = std::min(state.level, numbers.level);
    state.costs.join(costs);
    unit.command_ns = std::max(unit.command_ns, numbers.command_ns);
    state.measured_ns = base::capped_sum(state.measured_ns, numbers.used_ns);
    base::merge_hints(unit, numbers);
}

// Adds how much memory the process has on the unit's device and on the host, and how much it asks for.
void read_memory(const ipc::Header& header, policy::Unit& unit) {
    for (const ipc::DeviceMemory& words : header.memory) {
        const uint64_t device = words.device.load(std::memory_order_acquire);
        if (device == 0) break;
        if (device != unit.device) continue;
        unit.memory = ipc::bytes_of(words.on_card) + ipc::bytes_of(words.fixed);
        unit.memory_away = ipc::bytes_of(words.on_host);
        unit.memory_wanted = ipc::bytes_of(words.wanted);
    }
}

void begin(sched::UnitState& state, const QueueNumbers& numbers, const sched::Costs& costs) {
    policy::Unit& unit = state.unit;
    static_cast<base::Hints&>(unit) = numbers;
    unit.ready_since_ns = numbers.ready_since_ns;
    state.ready = numbers.ready;
    state.slowed = numbers.slowed;
    state.level = numbers.level;
    join(state, numbers, costs);
}

}  // namespace

void ClientUnits::begin_scan() {
    published_ = 0;
    for (OwnUnit& own : own_) own.queues = 0;
}

uint32_t ClientUnits::add(const QueueNumbers& numbers, const sched::Costs& costs, bool suspended_by_person,
                          uint32_t guess, base::SideBySide::Part& part) {
    const uint32_t at = find({.device = numbers.device,
                              .priority = numbers.priority,
                              .suspended_by_person = suspended_by_person,
                              .apart = numbers.apart,
                              .queue = by_queue_ ? numbers.handle : 0},
                             guess);
    OwnUnit& own = own_[at];
    if (at != guess) part = {};
    if (numbers.used_ns > 0) own.use.had(part, numbers.used_ns);
    if (own.queues++ != 0) {
        own.worked_ns += numbers.worked_ns;
        own.open_ns = std::max(own.open_ns, numbers.open_ns);
        join(own.state, numbers, costs);
        return at;
    }
    own.worked_ns = numbers.worked_ns;
    own.open_ns = numbers.open_ns;
    const sched::UnitState before = own.state;
    own.state = sched::UnitState{};
    own.state.unit.id = before.unit.id;
    own.state.unit.busy_ns = before.unit.busy_ns;
    own.state.measured_ns = before.measured_ns;
    begin(own.state, numbers, costs);
    return at;
}

// Adds the use of its queues since the last scan. If they worked in turns, that is the time in which all together
// worked, and at most the time in which they were allowed to run.
void ClientUnits::count_use(OwnUnit& own) {
    own.use.could(std::min(own.worked_ns, own.open_ns));
    own.state.unit.busy_ns = base::capped_sum(own.state.unit.busy_ns, own.use.take());
    if (!own.state.ready) own.use.restart();
}

// Returns the client's unit that a queue counts for if its user has as many units on the device as the limit allows:
// the most urgent of the less urgent units, otherwise the least urgent one. base::kNowhere: the queue gets a unit of
// its own.
uint32_t ClientUnits::unit_to_join(const UnitKey& key) const {
    if (user_ == nullptr || !is_scheduled(key)) return base::kNowhere;
    const auto is_better = [&](int32_t priority, int32_t than) {
        const bool below = priority <= key.priority;
        if (below != (than <= key.priority)) return below;
        return below ? priority > than : priority < than;
    };
    uint32_t units = table_.units_of(key.device, user_);
    uint32_t found = base::kNowhere;
    for (uint32_t at = 0; at < own_.size(); ++at) {
        const OwnUnit& own = own_[at];
        if (own.key.device != key.device || (!own.here && own.queues == 0)) continue;
        if (!own.here) ++units;
        if (!is_scheduled(own.key) || own.key.apart != key.apart) continue;
        if (found == base::kNowhere || is_better(own.key.priority, own_[found].key.priority)) found = at;
    }
    return units < user_->units.load(std::memory_order_relaxed) ? base::kNowhere : found;
}

uint32_t ClientUnits::find(const UnitKey& key, uint32_t guess) {
    if (guess < own_.size() && own_[guess].key == key) return guess;
    const auto known = own_at_.find(key);
    if (known != own_at_.end()) return known->second;
    if (const uint32_t joined = unit_to_join(key); joined != base::kNowhere) return joined;
    if (free_.empty()) {
        free_.push_back(static_cast<uint32_t>(own_.size()));
        own_.emplace_back();
    }
    const uint32_t at = free_.back();
    free_.pop_back();
    own_[at] = OwnUnit{.key = key};
    own_at_.emplace(key, at);
    return at;
}

// Removes the unit from the table; another one takes its position.
void ClientUnits::remove_from_table(OwnUnit& own) {
    const Owner moved = table_.remove(*own.table, own.at);
    if (moved.units != nullptr) moved.units->moved(moved.own, own.at);
}

// Releases a unit that has no queues any more.
void ClientUnits::release(uint32_t at) {
    if (own_[at].here) remove_from_table(own_[at]);
    own_at_.erase(own_[at].key);
    own_[at] = OwnUnit{.key = {.device = 0, .priority = INT32_MIN}};  // no queue's
    free_.push_back(at);
}

// Sets the unit's account. A user's or group's account takes precedence; the program's own limit counts beside it. A
// queue's own account differs from all accounts of users, groups, processes and other clients, whatever the client
// calls the queue.
void ClientUnits::set_account(policy::Unit& unit, uint64_t queue, const policy::Unit& common) const {
    enum Kind : uint64_t { kQueueAccounts = uint64_t{1} << 63, kOthers = uint64_t{1} << 62 };
    unit.account = common.account;
    if (unit.account != 0) {
        unit.share = common.share;
        unit.process_limit = unit.limit;
        unit.limit = common.limit;
    } else if (by_queue_) {
        unit.account =
            kQueueAccounts | (unit_id(client_id_, static_cast<uint32_t>(queue ^ queue >> 32)) & (kOthers - 1));
    }
}

void ClientUnits::publish(OwnUnit& own, uint32_t at, const sched::UnitState& common, Work& work) {
    count_use(own);
    sched::UnitState& state = own.state;
    state.unit.device = own.key.device;
    state.unit.pid = common.unit.pid;
    state.unit.process = common.unit.process;
    state.unit.cpu_priority = common.unit.cpu_priority;
    state.unit.priority = own.key.priority;
    read_memory(region_.header, state.unit);
    set_account(state.unit, own.key.queue, common.unit);
    state.user = common.user;
    state.waits_changed = common.waits_changed;
    state.suspended_by_person = own.key.suspended_by_person;
    state.group = common.group | (own.key.apart ? uint64_t{at + 1} << 32 : 0);
    state.stuck_since_ns = common.stuck_since_ns;
    state.keeps_alive = common.keeps_alive;
    state.keep_alive_synchronizes = common.keep_alive_synchronizes;
    state.stopped = common.stopped;
    state.habits = common.habits;
    if (own.here) {
        if (table_.update(*own.table, own.at, state)) charge(own, 0, work);
        return;
    }
    state.unit.id = unit_id(client_id_, ++last_unit_);
    own.here = true;
    own.table = &table_.device(own.key.device);
    own.at = table_.add(*own.table, state, {.client = &client_, .units = this, .own = at, .user = user_});
    charge(own, kUnitNs, work);
}

// Charges the user for a decision about the unit's device, but not for other users' units there.
void ClientUnits::charge(const OwnUnit& own, int64_t more_ns, Work& work) const {
    work.add(more_ns + decision_ns(own.table->units_of(user_)));
}

bool ClientUnits::publish(const sched::UnitState& common, Work& work) {
    for (; published_ < own_.size(); ++published_) {
        if (work.is_over()) return false;
        OwnUnit& own = own_[published_];
        if (own.queues != 0) {
            publish(own, published_, common, work);
        } else if (own.here) {
            charge(own, kUnitNs, work);
            release(published_);
        }
    }
    return true;
}

void ClientUnits::remove_all() {
    for (uint32_t i = 0; i < own_.size(); ++i)
        if (own_[i].here) release(i);
}

}  // namespace xsched::dispatch
