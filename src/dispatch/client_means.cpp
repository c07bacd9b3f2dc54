// One client: by which means its units are kept off (means.h), device by device, since its channels belong to the whole
// process.
#include <algorithm>

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

Client::Device& Client::device_of(uint64_t device) {
    for (Device& known : devices_)
        if (known.device == device) return known;
    devices_.push_back(Device{});
    devices_.back().device = device;
    return devices_.back();
}

void Client::choose_means(const UnitTable& units, const Rivals& rivals, int64_t now_ns) {
    look_again_ns_ = 0;
    prompt_ = false;
    for (Device& device : devices_) device.seen = false;
    for (const QueueMemory& queue : queues_) {
        if (!queue.used) continue;
        Device& device = device_of(units.units()[queue.unit].unit.device);
        if (!device.seen) choose_on(device, units, rivals, now_ns);
        device.seen = true;
    }
    std::erase_if(devices_, [](const Device& device) { return !device.seen; });
}

// A burst of the unit that it made room for is over.
void Client::end_trial(Device& device, const UnitTable& units) {
    const sched::UnitState* urgent = device.tried_by != 0 ? units.find(device.tried_by) : nullptr;
    device.tried_by = 0;
    if (urgent == nullptr || urgent->idle_since_ns <= device.stands_ns) return;
    device.trials.note(device.tried_way, urgent->unit.id, urgent->idle_since_ns - device.stands_ns);
}

Client::Stand Client::stand_on(uint64_t device, const UnitTable& units, const Rivals& rivals) const {
    Stand stand;
    bool first = true;
    for (const QueueMemory& queue : queues_) {
        if (!queue.used || units.units()[queue.unit].unit.device != device) continue;
        const policy::Unit& unit = units.units()[queue.unit].unit;
        rivals.look(unit, units.units(), stand.victim);
        stand.victim.command_ns = std::max(stand.victim.command_ns, unit.command_ns);
        stand.all_suspended = stand.all_suspended && queue.verdict.suspend;
        stand.all_able = stand.all_able && queue.level == kPreemptLevelInterrupt;
        stand.ready = stand.ready || queue.ready;
        stand.announced = stand.announced || queue.verdict.reason == sched::Reason::kExpected;
        stand.by = std::max(stand.by, queue.verdict.by);
        // The most urgent one's, the hardware knows only the whole process: 0, the driver's own, is longer than any.
        const uint32_t its = Rivals::timeslice_us(unit, units.units());
        const bool own = its == 0 || (!first && stand.timeslice_us == 0);
        stand.timeslice_us = own ? 0 : std::max(its, stand.timeslice_us);
        first = false;
    }
    return stand;
}

void Client::choose_on(Device& device, const UnitTable& units, const Rivals& rivals, int64_t now_ns) {
    Stand stand = stand_on(device.device, units, rivals);
    Victim& victim = stand.victim;
    if (!stand.all_suspended) end_trial(device, units);  // first: what it taught is in force before the next burst
    victim.was_long = device.usual == Means::kInterrupt;
    victim.was_brief = device.usual == Means::kGate;
    victim.gate_tried_better = device.trials.next() == kGateAlone;
    const Means unable = victim.has_rival ? Means::kGate : Means::kNone;
    const Means usual = stand.all_able ? dispatch::choose_means(victim) : unable;
    device.usual = usual;
    victim.announced = stand.announced;
    const Means chosen = stand.all_able ? dispatch::choose_means(victim) : usual;
    prompt_ = prompt_ || interrupts(usual);
    const sched::UnitState* urgent = stand.by != 0 ? units.find(stand.by) : nullptr;
    if (!stand.all_suspended) {
        device.stands_ns = 0;
        device.interrupt = ipc::Interrupt::kNone;
        device.means = chosen;
    } else if (device.stands_ns == 0) {
        device.stands_ns = now_ns;
        device.means = stand.all_able && stand.by == 0 ? Means::kInterruptHeld : chosen;
        device.by_busy_ns = urgent != nullptr ? urgent->unit.busy_ns : 0;
        device.tried_by = stand.ready && stand.all_able && gate_may_do(victim) ? stand.by : 0;
        device.tried_way = device.means == Means::kGate ? kGateAlone : kTimesliceToo;
    }
    const uint32_t slice = stand.all_able && shortens_timeslice(victim, usual) ? stand.timeslice_us : 0;
    if (stand.all_suspended && stand.all_able) interrupt_on(device, stand, slice != 0, urgent, now_ns);
    for (QueueMemory& queue : queues_) {
        if (!queue.used || units.units()[queue.unit].unit.device != device.device) continue;
        queue.means = device.means;
        queue.interrupt = device.interrupt;
        queue.timeslice_us = slice;
    }
}

// What becomes of what runs there, now that all of it stands.
void Client::interrupt_on(Device& device, const Stand& stand, bool short_timeslice, const sched::UnitState* urgent,
                          int64_t now_ns) {
    // Held by a person, with nobody's work to press for it, it must be off.
    if (device.interrupt == ipc::Interrupt::kKeptOff && stand.by == 0) device.interrupt = ipc::Interrupt::kTakenOff;
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
        look_again_ns_ = device.stands_ns + kLateNs;
    }
}

}  // namespace xsched::dispatch
