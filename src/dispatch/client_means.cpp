// One client: by which means its units are kept off (means.h), device by device, since its channels belong to the whole
// process.
#include <algorithm>
#include <utility>

#include "dispatch/client.h"

namespace xsched::dispatch {

namespace {

// What became ready so shortly after its suspension may have got past the gate.
constexpr int64_t kSlippedNs = 2'000'000;
// A command believed to be short that keeps the urgent unit from completing anything for so long is not.
constexpr int64_t kLateNs = 2'000'000;

// The two ways of its trials.
constexpr unsigned kTimesliceToo = 0;
constexpr unsigned kGateAlone = 1;

bool interrupts(Means means) { return means >= Means::kInterrupt; }

}  // namespace

void Client::choose_means(int64_t now_ns) {
    look_again_ns_ = 0;
    prompt_ = false;
    for (auto& [id, device] : devices_) device.queues.clear();
    for (uint32_t at = 0; at < queues_.size(); ++at)
        if (queues_[at].used && queues_[at].scheduled) devices_[own(queues_[at]).key.device].queues.push_back(at);
    std::erase_if(devices_, [](const auto& entry) { return entry.second.queues.empty(); });
    for (auto& [id, device] : devices_) choose_on(device, now_ns);
}

// A burst of the unit that it made room for is over.
void Client::end_trial(Device& device, const DeviceTable& table) {
    const uint64_t id = std::exchange(device.tried_by, 0);
    if (id == 0 || device.tried_at >= table.units.size()) return;
    const sched::UnitState& urgent = table.units[device.tried_at];
    if (urgent.unit.id != id || urgent.idle_since_ns <= device.stands_ns) return;
    device.trials.note(device.tried_way, id, urgent.idle_since_ns - device.stands_ns);
}

Client::Stand Client::stand_on(const Device& device) const {
    Stand stand;
    uint64_t by = 0;
    bool first = true;
    for (const uint32_t at : device.queues) {
        const QueueMemory& queue = queues_[at];
        const Own& unit = own(queue);
        const sched::UnitState& state = unit.table->units[unit.at];
        unit.table->rivals.look(unit.at, state, stand.victim);
        stand.victim.costs.join(state.costs);
        stand.victim.command_ns = std::max(stand.victim.command_ns, state.unit.command_ns);
        stand.all_suspended = stand.all_suspended && queue.verdict.suspend;
        stand.all_able = stand.all_able && queue.level == kPreemptLevelInterrupt;
        stand.ready = stand.ready || queue.ready;
        stand.announced = stand.announced || queue.verdict.reason == sched::Reason::kExpected;
        if (queue.verdict.by > by) {
            by = queue.verdict.by;
            stand.urgent = unit.table->maker_of_room(queue.verdict);
            stand.urgent_at = queue.verdict.by_at;
        }
        // The most urgent one's, the hardware knows only the whole process: 0, the driver's own, is longer than any.
        const uint32_t its = unit.table->rivals.timeslice_us(unit.at);
        const bool longest = its == 0 || (!first && stand.timeslice_us == 0);
        stand.timeslice_us = longest ? 0 : std::max(its, stand.timeslice_us);
        first = false;
    }
    return stand;
}

void Client::choose_on(Device& device, int64_t now_ns) {
    Stand stand = stand_on(device);
    Victim& victim = stand.victim;
    const sched::UnitState* const urgent = stand.urgent;
    const DeviceTable& table = *own(queues_[device.queues.front()]).table;
    if (!stand.all_suspended) end_trial(device, table);  // first: what it taught is in force before the next burst
    victim.was_long = device.usual == Means::kInterrupt;
    victim.was_brief = device.usual == Means::kGate;
    victim.gate_tried_better = device.trials.next() == kGateAlone;
    const Means unable = victim.has_rival ? Means::kGate : Means::kNone;
    const Means usual = stand.all_able ? dispatch::choose_means(victim) : unable;
    device.usual = usual;
    victim.announced = stand.announced;
    const Means chosen = stand.all_able ? dispatch::choose_means(victim) : usual;
    prompt_ = prompt_ || interrupts(usual);
    if (!stand.all_suspended) {
        device.stands_ns = 0;
        device.interrupt = ipc::Interrupt::kNone;
        device.means = chosen;
    } else if (device.stands_ns == 0) {
        device.stands_ns = now_ns;
        device.means = stand.all_able && urgent == nullptr ? Means::kInterruptHeld : chosen;
        device.by_busy_ns = urgent != nullptr ? urgent->unit.busy_ns : 0;
        const bool tries = stand.ready && stand.all_able && gate_may_do(victim) && urgent != nullptr;
        device.tried_by = tries ? urgent->unit.id : 0;
        device.tried_at = stand.urgent_at;
        device.tried_way = device.means == Means::kGate ? kGateAlone : kTimesliceToo;
    }
    const uint32_t slice = stand.all_able && shortens_timeslice(victim, usual) ? stand.timeslice_us : 0;
    if (stand.all_suspended && stand.all_able) interrupt_on(device, stand, slice != 0, now_ns);
    for (const uint32_t at : device.queues) {
        queues_[at].means = device.means;
        queues_[at].interrupt = device.interrupt;
        queues_[at].timeslice_us = slice;
    }
}

// What becomes of what runs there, now that all of it stands.
void Client::interrupt_on(Device& device, const Stand& stand, bool short_timeslice, int64_t now_ns) {
    const sched::UnitState* const urgent = stand.urgent;
    // Held by a person, with nobody's work to press for it, it must be off.
    if (device.interrupt == ipc::Interrupt::kKeptOff && urgent == nullptr) device.interrupt = ipc::Interrupt::kTakenOff;
    if (device.interrupt != ipc::Interrupt::kNone || !stand.ready) return;
    const int64_t stood_ns = now_ns - device.stands_ns;
    const bool stuck = urgent != nullptr && urgent->ready && urgent->unit.busy_ns == device.by_busy_ns &&
                       urgent->idle_since_ns < device.stands_ns;
    if (interrupts(device.means)) {
        if (stood_ns <= kSlippedNs) device.interrupt = choose_interrupt(stand.victim, device.means, short_timeslice);
    } else if (stuck && stood_ns >= kLateNs) {
        device.means = Means::kInterruptLate;
        device.interrupt = ipc::Interrupt::kTakenOff;
    } else if (stuck) {
        look_again_ns_ = base::earlier(look_again_ns_, device.stands_ns + kLateNs);
    }
}

}  // namespace xsched::dispatch
