#include "sched/mechanism/mechanism_chooser.h"

#include <algorithm>
#include <span>
#include <utility>

#include "sched/facts/rule_on.h"
#include "sched/facts/times.h"
#include "sched/mechanism/lateness.h"
#include "sched/mechanism/planner.h"
#include "sched/mechanism/present.h"
#include "sched/mechanism/usage.h"
#include "sched/pattern/long_timeslice.h"
#include "xsched/types.h"

namespace xsched::sched {

namespace {

// Ends the group's suspension. If a burst has ended (not merely an equal's turn), records how long it took.
void end_suspension(const Pass& pass, Group& group) {
    const uint64_t id = std::exchange(group.urgent_id, 0);
    if (std::exchange(group.for_equal, false)) return;
    if (id == 0 || group.urgent_at >= pass.given.units.size()) return;
    const UnitState& urgent = pass.given.units[group.urgent_at];
    if (urgent.unit.id != id || urgent.idle_since_ns <= group.suspended_ns) return;
    UnitHistory& known = pass.device.units[group.urgent_at];
    // If the group was suspended for another reason first, earlier bursts may have ended since. So only the time
    // since the last burst began counts.
    const bool over = known.period.began_ns() < urgent.idle_since_ns;
    const int64_t since_ns = std::max(group.suspended_ns, over ? known.period.began_ns() : 0);
    const int64_t lasted_ns = urgent.idle_since_ns - since_ns;
    BurstLength& lengths = known.burst_length;
    group.distrust.burst_ended(lasted_ns, lengths.usual_ns(), pass.now_ns);
    lengths.note(lasted_ns);
}

// Returns the best mechanism, or a cheaper one if it is best only as a precaution for a rival of which little is known
// and the budget is used up.
Mechanism affordable(const Pass& pass, const Victim& victim, bool ready) {
    const Mechanism best = choose_mechanism(victim);
    if (victim.missing == 0 || !ready || !interrupts(best)) return best;
    Victim known = victim;
    known.missing = 0;
    const Mechanism usual = choose_mechanism(known);
    // The precaution's highest price: the whole effort to take the victim off, which is in vain if the burst ends
    // meanwhile.
    const int64_t costs_ns = victim.costs.off_ns() + victim.costs.interrupt_ns();
    return interrupts(usual) || pass.device.budget.precautions.take(costs_ns, pass.now_ns) ? best : usual;
}

// Returns whether the rival is itself a victim with a short timeslice: at each end of it the hardware would turn to
// this victim, and back.
bool rival_has_short_timeslice(const Pass& pass, const Present& present) {
    const DeviceHistory& device = pass.device;
    return present.urgent != nullptr && device.groups[device.units[present.urgent_at].group].timeslice_us != 0;
}

// Returns the mechanism for a group whose turn has ended. Its remaining work would change places with the next unit at
// the rate of their short timeslices, so it is taken off at once, unless it has no work.
Mechanism at_a_turns_end(const Group& group, const Present& present, Mechanism chosen) {
    if (group.timeslice_us == 0 || !rule_on(Rule::kTurnEnd)) return chosen;
    return present.ready && present.interruptible() ? Mechanism::kInterrupt : Mechanism::kGate;
}

// Returns the victim as it is now: a timeslice that is not in force yet takes no victim off the device, and keep-alives
// bridge no pauses of a burst that has lasted for longer than a call.
Victim as_it_stands(const Pass& pass, const Group& group, const Present& present) {
    Victim victim = present.victim;
    victim.timeslice_wait_ns =
        rival_has_short_timeslice(pass, present) ? INT64_MAX : group.timeslice_wait_ns(pass.now_ns);
    const bool goes_on = group.suspended_ns != 0 && pass.now_ns >= group.suspended_ns + victim.costs.off_ns();
    if (goes_on) victim.returns.unbridged = victim.returns.pauses;
    return victim;
}

// Returns whether all of the group stays off the device until its turn, whether or not a more urgent unit has the
// device meanwhile.
bool waits_for_turn(const Pass& pass, const Group& group) {
    const DeviceHistory& device = pass.device;
    const std::span members = std::span(device.members).subspan(group.begin, group.end - group.begin);
    if (device.turn.taker == 0 || !rule_on(Rule::kWaitsForTurn)) return false;
    const auto waits = [&](uint32_t at) {
        return device.verdicts[at].suspend && pass.given.units[at].turn_taker() != device.turn.taker;
    };
    const auto takes_turns = [&](uint32_t at) { return device.usages[at].in_turns == InTurns::kTakes; };
    return std::ranges::all_of(members, waits) && std::ranges::any_of(members, takes_turns);
}

// Returns whether the victim's short timeslice is enough to keep it off, so that no call must interrupt it: the urgent
// process holds the device with a keep-alive, and has no short timeslice itself.
bool is_held(const Pass& pass, const Group& group, const Present& present) {
    if (!rule_on(Rule::kLetBack)) return false;
    if (present.urgent == nullptr || present.urgent_is_equal || present.victim.has_peer) return false;
    return pass.now_ns < present.urgent->holds_until_ns && group.has_short_timeslice(pass.now_ns) &&
           !rival_has_short_timeslice(pass, present);
}

bool distrusts(const Pass& pass, const Group& group) {
    return rule_on(Rule::kDistrust) && group.distrust.holds(pass.now_ns);
}

void begin_suspension(const Pass& pass, Group& group, const Present& present) {
    const UnitState* const urgent = present.urgent;
    group.suspended_ns = group.chosen_ns = pass.now_ns;
    const Victim victim = as_it_stands(pass, group, present);
    group.let_back = is_held(pass, group, present);
    const Mechanism chosen = group.let_back            ? Mechanism::kTimeslice
                             : present.urgent_is_equal ? at_a_turns_end(group, present, choose_mechanism(victim))
                                                       : affordable(pass, victim, present.ready);
    group.mechanism = present.interruptible() && urgent == nullptr ? Mechanism::kInterruptHeld : chosen;
    const bool unseen = !present.urgent_is_equal && pass.now_ns < group.unseen_until_ns;
    if (unseen && !interrupts(group.mechanism) && present.interruptible()) group.mechanism = Mechanism::kInterruptLate;
    // The rival usually uses the device without pauses. In case it pauses this time, it may keep the device for the
    // victim's departure with one keep-alive, which is paid from the budget.
    group.on_its_way = rule_on(Rule::kOnItsWay) && group.mechanism == Mechanism::kTimeslice && !group.let_back &&
                       present.ready && urgent != nullptr && urgent->keeps_alive &&
                       pass.device.budget.precautions.take(kLookNs, pass.now_ns);
    group.urgent_busy_ns = urgent != nullptr ? urgent->measured_ns : 0;
    group.urgent_id = urgent != nullptr ? urgent->unit.id : 0;
    group.urgent_at = present.urgent_at;
    group.for_equal = present.urgent_is_equal;
    group.distrust.burst_begins();
    group.late_completed.reset();
    group.late_changes = 0;
}

void look_again(Group& group, int64_t at_ns) {
    group.late_ns = group.late_ns != 0 ? std::min(group.late_ns, at_ns) : at_ns;
}

// Resumes a victim that was interrupted for this burst. A victim that waits for its turn stays off.
void let_back(const Pass& pass, Group& group, const Present& present) {
    const bool may = is_held(pass, group, present);
    if (group.interrupt != Interrupt::kNone && may && !waits_for_turn(pass, group)) {
        group.mechanism = Mechanism::kTimeslice;
        group.interrupt = Interrupt::kNone;
        group.let_back = true;
    }
    if (group.let_back) look_again(group, may ? present.urgent->holds_until_ns : pass.now_ns + kWakeNs);
}

// Plans again for a victim that is left to its short timeslice: its rival pauses today, or its burst goes on for longer
// than keep-alives bridge pauses. The same holds during an equal's turn, which no keep-alive bridges.
void plan_again(const Pass& pass, Group& group, const Present& present) {
    if (group.mechanism != Mechanism::kTimeslice || present.urgent == nullptr) return;
    if (group.let_back && (!present.urgent->ready || is_held(pass, group, present))) return;
    Victim victim = as_it_stands(pass, group, present);
    // Plan with the timeslice that the hardware has now, even if it is about to be set back.
    victim.timeslice_us = group.has_short_timeslice(pass.now_ns) ? group.timeslice_us : 0;
    const Mechanism now = choose_mechanism(victim);
    if (!present.urgent_is_equal && !interrupts(now)) return;
    group.let_back = false;
    group.mechanism = Mechanism::kInterrupt;
    group.chosen_ns = pass.now_ns;
}

// Returns from when on keep-alives bridge no pauses of this burst; 0: they make no difference.
int64_t unbridged_from_ns(const Group& group, const Present& present) {
    const Returns& returns = present.victim.returns;
    const bool matters = group.mechanism == Mechanism::kTimeslice && returns.unbridged < returns.pauses;
    return matters && !present.urgent_is_equal ? group.suspended_ns + present.victim.costs.off_ns() : 0;
}

// Returns whether the group seems idle but may still run: it may be blocked in a driver call whose work is not
// reported. If it stayed suspended its work would never be reported, and it would never get its turn.
bool goes_on_unseen(const Pass& pass, Group& group, const Present& present) {
    if (!rule_on(Rule::kLongestIdle) || present.ready || present.slowed || present.urgent == nullptr) return false;
    if (!present.urgent_is_equal && pass.now_ns < made_room_since_ns(pass, group, present) + kMostGuessNs) return false;
    group.interrupt = Interrupt::kNone;
    return true;
}

// Takes the group off the device if its gates are not enough.
void take_off(const Pass& pass, Group& group, const Present& present, bool short_timeslice) {
    const bool works = present.ready || pass.now_ns < group.unseen_until_ns;
    const int64_t slipped_ns = rule_on(Rule::kSlipped) ? kLateNs : 0;
    if (works && interrupts(group.mechanism) && pass.now_ns - group.chosen_ns <= slipped_ns) {
        group.interrupt = choose_interrupt(present.victim, group.mechanism, short_timeslice);
        group.on_its_way = present.urgent != nullptr && present.urgent->keeps_alive;
        return;
    }
    const Late late = late_from(pass, group, present);
    if (pass.now_ns < late.from_ns) group.late_ns = late.from_ns;
    if (late.from_ns == 0 || pass.now_ns < late.from_ns) return;
    group.mechanism = Mechanism::kInterruptLate;
    group.interrupt = Interrupt::kTakenOff;
    if (late.at_gates && !present.victim.copies) group.distrust.not_enough(pass.now_ns);
    if (!present.ready && rule_on(Rule::kUnseenWork)) group.unseen_until_ns = pass.now_ns + kProvenNs;
}

// Decides how running work is treated, now that all of the group is suspended.
void settle_interrupt(const Pass& pass, Group& group, const Present& present, bool short_timeslice) {
    // A group that a person suspended while only its short timeslice kept it off the device must be taken off by a
    // call: no other work presses for the device and keeps it off.
    if (group.interrupt == Interrupt::kKeptOff && present.urgent == nullptr) group.interrupt = Interrupt::kTakenOff;
    if (goes_on_unseen(pass, group, present)) return;
    if (group.interrupt == Interrupt::kNone && present.worked_lately(pass.now_ns))
        take_off(pass, group, present, short_timeslice);
    const bool for_a_while = group.interrupt != Interrupt::kNone && !present.ready && present.urgent != nullptr;
    if (for_a_while) group.late_ns = made_room_since_ns(pass, group, present) + kMostGuessNs;
}

// Returns the wished timeslice; 0, the driver's own, for a process that completed nothing while it had such a short
// one.
uint32_t usable_timeslice(const Pass& pass, Group& group, const Present& present, uint32_t wished_us) {
    const bool runs = present.ready && !present.suspended && wished_us != 0;
    group.in_short.observe(runs, present.progress_ns, present.victim.command_ns, pass.now_ns);
    group.late_ns = group.in_short.due_ns();
    return group.in_short.usable(pass.now_ns) || !rule_on(Rule::kStalledSlice) ? wished_us : 0;
}

// Returns the timeslice that its process gets in the hardware.
uint32_t choose(const Pass& pass, Group& group, Present& present) {
    Victim& victim = present.victim;
    if (!present.suspended) end_suspension(pass, group);  // first, so that what it records holds for the next burst
    victim.last = group.as_known;
    if (distrusts(pass, group)) victim.command_ns = std::max(victim.command_ns, kLateNs);
    const int64_t lead_ns = std::exchange(victim.lead_ns, 0);
    const int64_t missing = std::exchange(victim.missing, 0);
    group.usual = group.as_known = choose_mechanism(victim);
    victim.missing = missing;
    if (missing > 0) group.usual = choose_mechanism(victim);
    // A group that has its turn gets no short timeslice: with one it would run for a microsecond per timeslice of the
    // others.
    const bool is_short = shortens_timeslice(victim, group.usual) && !present.has_turn;
    const uint32_t slice_us = usable_timeslice(pass, group, present, is_short ? present.timeslice_us : 0);
    victim.lead_ns = lead_ns;
    victim.timeslice_us = slice_us;
    const Mechanism chosen = victim.announced() ? choose_mechanism(victim) : group.usual;
    if (!present.suspended) {
        group.suspended_ns = 0;
        group.on_its_way = group.let_back = false;
        group.interrupt = Interrupt::kNone;
        group.mechanism = chosen;
        return slice_us;
    }
    if (group.suspended_ns == 0) begin_suspension(pass, group, present);
    plan_again(pass, group, present);
    if (present.interruptible()) settle_interrupt(pass, group, present, group.has_short_timeslice(pass.now_ns));
    let_back(pass, group, present);
    if (const int64_t from_ns = unbridged_from_ns(group, present); from_ns > pass.now_ns) look_again(group, from_ns);
    return slice_us;
}

// Returns whether the unit makes room for a more urgent one, not for an equal whose turn it is.
bool makes_room_above(const Pass& pass, const Present& present, uint32_t at) {
    return present.urgent != nullptr && pass.device.urgency[present.urgent_at] > pass.device.urgency[at];
}

// Returns the timeslice of a program in the background that has no known rival: with the driver's own, a desktop's
// frame would wait for all of it. Programs in the background beside each other would only switch, so they get none.
uint32_t background_timeslice_us(const Present& present) {
    const bool alone = present.background && present.interruptible() && !present.victim.takes_turns();
    return alone ? timeslice_us_of(1, 2) : 0;
}

void choose_for(Pass& pass, Group& group) {
    DeviceHistory& device = pass.device;
    group.dirty = false;
    Present present = look_at(pass, group);
    const uint32_t short_us = choose(pass, group, present);
    group.tell_timeslice(short_us, present.victim.costs, pass.now_ns);
    const bool leads = rule_on(Rule::kLongTimeslice) && short_us == 0 && present.leads && present.interruptible() &&
                       !present.background;
    group.long_timeslice_us = leads ? long_timeslice_us(pass.settings, present.victim.costs, present.stretch_ns,
                                                        present.queued, group.long_timeslice_us)
                                    : 0;
    const uint32_t usual_us = leads ? group.long_timeslice_us : short_us;
    const uint32_t slice_us = usual_us != 0 ? usual_us : background_timeslice_us(present);
    if (group.late_ns != 0) device.late.push_back(static_cast<uint32_t>(&group - device.groups.data()));
    const Candidates ways = candidates(as_it_stands(pass, group, present));
    // No program waits for calls made by the agent of a program that waits for its turn. In a crowd such calls would
    // take the processors that the programs need (docs/decisions/005).
    const bool quick = interrupts(group.usual) && !waits_for_turn(pass, group);
    for (uint32_t i = group.begin; i < group.end; ++i) {
        const uint32_t at = device.members[i];
        UnitHistory& unit = device.units[at];
        if (present.suspended) device.verdicts[at].candidates = ways;
        unit.leads = device.rivals.leads(at, pass.given.units[at]);  // otherwise its equals would wait for its
                                                                     // keep-alives
        const Preemption preemption{.mechanism = group.mechanism,
                                    .interrupt = group.interrupt,
                                    .timeslice_us = slice_us,
                                    .gates_apart_us = gates_apart_us(present.victim),
                                    .expect_interrupt = quick,
                                    .on_its_way = group.on_its_way,
                                    .has_victims = device.rivals.has_victims(at, pass.given.units[at]),
                                    .has_peer = present.victim.has_peer && makes_room_above(pass, present, at),
                                    .keep_alive_us = unit.leads ? unit.queued.keep_us() : 0};
        if (preemption == device.verdicts[at].preemption) continue;
        device.verdicts[at].preemption = preemption;
        device.note_changed(at);
    }
}

// Marks groups that were late at the last look, or may be late by now.
void mark_late(Pass& pass) {
    DeviceHistory& device = pass.device;
    for (const uint32_t index : device.late)
        if (pass.now_ns >= device.groups[index].late_ns) device.mark_group_at(index);
}

// Forgets victims that are no longer late, and looks again at the others in time.
void wake_for_late(Pass& pass) {
    DeviceHistory& device = pass.device;
    std::sort(device.late.begin(), device.late.end());
    device.late.erase(std::unique(device.late.begin(), device.late.end()), device.late.end());
    std::erase_if(device.late, [&device](uint32_t index) { return device.groups[index].late_ns == 0; });
    for (const uint32_t index : device.late) pass.wake(device.groups[index].late_ns);
}

}  // namespace

void choose_mechanisms(Pass& pass) {
    DeviceHistory& device = pass.device;
    if (pass.anew) {
        for (uint32_t at = 0; at < pass.given.units.size(); ++at) see_usage(pass, at);
    } else {
        for (const uint32_t at : pass.given.changed) see_usage(pass, at);
        if (pass.all) see_idle(pass);
    }
    if (std::exchange(device.rivals_changed, false)) {
        device.rivals.sum_up(pass.given.units, device.urgency, device.usages);
        for (uint32_t index = 0; index < device.groups.size(); ++index) device.mark_group_at(index);
    }
    if (!device.late.empty()) mark_late(pass);
    for (const uint32_t index : device.dirty_groups) choose_for(pass, device.groups[index]);
    device.dirty_groups.clear();
    if (!device.late.empty()) wake_for_late(pass);
}

}  // namespace xsched::sched
