#include "sched/mechanism/lateness.h"

#include <algorithm>

#include "sched/facts/rule_on.h"

namespace xsched::sched {
namespace {

// A command believed to be short is not short if the urgent unit completes nothing for this long.
constexpr int64_t kLateNs = 2'000'000;  // decision 011
// So long, where commands of more than that have been among the short ones lately.
constexpr int64_t kLateLongNs = 400'000;  // decision 011

// The urgent unit has completed nothing and not rested since.
bool blocks(const Group& group, const UnitState* urgent) {
    return rule_on(Rule::kLate) && urgent != nullptr && urgent->ready && urgent->measured_ns == group.urgent_busy_ns &&
           urgent->idle_since_ns < group.suspended_ns;
}

// When the burst began for which it makes room. A program that uses the device in one stretch has begun another one,
// though nobody got room in between: requests that queue.
int64_t burst_began_ns(const Pass& pass, const Group& group, const Present& present) {
    const bool streams = group.mechanism == Mechanism::kTimeslice && present.urgent != nullptr;
    const int64_t stretch_began_ns = streams ? present.urgent->unit.ready_since_ns : 0;
    return std::max({group.chosen_ns, made_room_since_ns(pass, group, present), stretch_began_ns});
}

// The victim still completes commands this long after its gate closed: its ungated commands are longer than their mean.
// The urgent unit gets on, but shares the device in each of its pauses. In a turn of an equal, what it completed before
// its gate may be seen late, once: neither is in a hurry, and each interrupt costs both.
bool goes_on(const Pass& pass, Group& group, const Present& present) {
    if (!rule_on(Rule::kGoesOn) || present.urgent == nullptr || !present.urgent->ready) return false;
    if (pass.now_ns < burst_began_ns(pass, group, present) + kLateNs) return false;
    if (group.late_completed == Group::kNotYet) group.late_completed = present.completed;
    if (present.completed > group.late_completed) {
        group.late_completed = present.completed;
        ++group.late_changes;
    }
    return group.late_changes > (present.urgent_is_equal ? 1U : 0U);
}

// A command of the urgent unit may be as long as a whole burst: a graph. Where contexts of the victim take turns, what
// its commands seem to take is the others' time too. And of what completes during a burst little is heard. Behind a
// short timeslice it has the device meanwhile.
int64_t late_after_ns(const Pass& pass, const Group& group, const Present& present) {
    const int64_t stretch_ns = pass.device.units[present.urgent_at].pauses.stretch_ns();
    if (group.mechanism == Mechanism::kTimeslice) return std::max(kLateNs, BurstLength::kTimes * stretch_ns);
    const bool is_known = !present.victim.copies && !present.victim.several_contexts;
    const bool may_be_long = group.mechanism == Mechanism::kGate && present.longest_ns > kLateLongNs && is_known;
    return may_be_long && rule_on(Rule::kLongCommands) ? kLateLongNs : kLateNs;
}

}  // namespace

int64_t made_room_since_ns(const Pass& pass, const Group& group, const Present& present) {
    if (present.urgent == nullptr || present.urgent_is_equal) return group.suspended_ns;
    return std::max(group.suspended_ns, pass.device.units[present.urgent_at].period.began_ns());
}

Late late_from(const Pass& pass, Group& group, const Present& present) {
    if (present.urgent == nullptr) return {};
    const int64_t began_ns = burst_began_ns(pass, group, present);
    const bool stays = present.ready && (blocks(group, present.urgent) || goes_on(pass, group, present));
    if (stays && !interrupts(group.mechanism))
        return {.from_ns = began_ns + late_after_ns(pass, group, present), .at_gates = true};
    const int64_t long_ns = pass.device.units[present.urgent_at].burst_length.long_from_ns();
    if (!rule_on(Rule::kLongBurst) || long_ns == 0 || !present.urgent->ready || present.urgent_is_equal) return {};
    return {.from_ns = std::max(began_ns + kLateNs, made_room_since_ns(pass, group, present) + long_ns)};
}

}  // namespace xsched::sched
