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

void Client::choose_on(Device& device, const UnitTable& units, const Rivals& rivals, int64_t now_ns) {
    Victim victim;
    bool all_suspended = true;
    bool all_able = true;  // to be interrupted
    bool ready = false;
    bool announced = false;
    bool first = true;
    uint32_t timeslice_us = 1;
    uint64_t by = 0;
    const auto here = [&](const QueueMemory& queue) {
        return queue.used && units.units()[queue.unit].unit.device == device.device;
    };
    for (const QueueMemory& queue : queues_) {
        if (!here(queue)) continue;
        const policy::Unit& unit = units.units()[queue.unit].unit;
        rivals.look(unit, units.units(), victim);
        victim.command_ns = std::max(victim.command_ns, unit.command_ns);
        all_suspended = all_suspended && queue.verdict.suspend;
        all_able = all_able && queue.level == kPreemptLevelInterrupt;
        ready = ready || queue.ready;
        announced = announced || queue.verdict.reason == sched::Reason::kExpected;
        by = std::max(by, queue.verdict.by);
        // The most urgent one's, the hardware knows only the whole process: 0, the driver's own, is longer than any.
        const uint32_t its = Rivals::timeslice_us(unit, units.units());
        timeslice_us = its == 0 || timeslice_us == 0 ? 0 : std::max(its, first ? 0 : timeslice_us);
        first = false;
    }
    if (!all_suspended) end_trial(device, units);  // first: the next burst finds what it is to be kept off by in force
    victim.was_long = device.usual == Means::kInterrupt;
    victim.gate_tried_better = device.trials.next() == kGateAlone;
    const Means usual = all_able ? dispatch::choose_means(victim) : victim.has_rival ? Means::kGate : Means::kNone;
    device.usual = usual;
    victim.announced = announced;
    const Means chosen = all_able ? dispatch::choose_means(victim) : usual;
    prompt_ = prompt_ || interrupts(usual);
    const sched::UnitState* urgent = by != 0 ? units.find(by) : nullptr;
    if (!all_suspended) {
        device.stands_ns = 0;
        device.interrupt = ipc::Interrupt::kNone;
        device.means = chosen;
    } else if (device.stands_ns == 0) {
        device.stands_ns = now_ns;
        device.means = all_able && by == 0 ? Means::kInterruptHeld : chosen;
        device.by_busy_ns = urgent != nullptr ? urgent->unit.busy_ns : 0;
        device.tried_by = ready && all_able && gate_may_do(victim) ? by : 0;
        device.tried_way = device.means == Means::kGate ? kGateAlone : kTimesliceToo;
    }
    const uint32_t slice = all_able && shortens_timeslice(victim, usual) ? timeslice_us : 0;
    const ipc::Interrupt interrupt = choose_interrupt(victim, device.means, slice != 0);
    // Held by a person, with nobody's work to press for it, it must be off.
    if (device.interrupt == ipc::Interrupt::kKeptOff && by == 0) device.interrupt = ipc::Interrupt::kTakenOff;
    if (all_suspended && all_able && device.interrupt == ipc::Interrupt::kNone) {
        const int64_t stood_ns = now_ns - device.stands_ns;
        const bool stuck = urgent != nullptr && urgent->ready && urgent->unit.busy_ns == device.by_busy_ns &&
                           urgent->idle_since_ns < device.stands_ns;
        if (interrupts(device.means)) {
            if (ready && stood_ns <= kSlippedNs) device.interrupt = interrupt;
        } else if (ready && stuck && stood_ns >= kLateNs) {
            device.means = Means::kInterruptLate;
            device.interrupt = ipc::Interrupt::kTakenOff;
        } else if (ready && stuck) {
            look_again_ns_ = device.stands_ns + kLateNs;
        }
    }
    for (QueueMemory& queue : queues_) {
        if (!here(queue)) continue;
        queue.means = device.means;
        queue.interrupt = device.interrupt;
        queue.timeslice_us = slice;
    }
}

}  // namespace xsched::dispatch
