#include "sched/mechanism/lateness.h"

#include <algorithm>

#include "sched/facts/rule_on.h"
#include "sched/facts/times.h"

namespace xsched::sched {
namespace {

// Used instead of kLateNs for a victim that recently had commands longer than kLateLongNs among its short ones.
constexpr int64_t kLateLongNs = 400'000;  // decision 011

// Returns whether the urgent unit has neither completed a command nor rested since the victim's suspension.
bool blocks(const Group& group, const UnitState* urgent) {
    return rule_on(Rule::kLate) && urgent != nullptr && urgent->ready && urgent->measured_ns == group.urgent_busy_ns &&
           urgent->idle_since_ns < group.suspended_ns;
}

// Returns when the burst began for which the group makes room. A program that uses the device in one stretch may have
// begun another burst without a pause in between: requests that queue.
int64_t burst_began_ns(const Pass& pass, const Group& group, const Present& present) {
    const bool streams = group.mechanism == Mechanism::kTimeslice && present.urgent != nullptr;
    const int64_t stretch_began_ns = streams ? present.urgent->unit.ready_since_ns : 0;
    return std::max({group.chosen_ns, made_room_since_ns(pass, group, present), stretch_began_ns});
}

// Returns whether the victim still completes commands long after its gate closed: its ungated commands are longer than
// their mean. The urgent unit gets on, but shares the device in each of its pauses. In an equal's turn, commands that
// completed before the gate closed may be seen late, once: neither unit is in a hurry, and each interrupt costs both.
bool goes_on(const Pass& pass, Group& group, const Present& present) {
    if (!rule_on(Rule::kGoesOn) || present.urgent == nullptr || !present.urgent->ready) return false;
    if (pass.now_ns < burst_began_ns(pass, group, present) + kLateNs) return false;
    if (!group.late_completed) group.late_completed = present.completed;
    if (present.completed > *group.late_completed) {
        group.late_completed = present.completed;
        ++group.late_changes;
    }
    return group.late_changes > (present.urgent_is_equal ? 1U : 0U);
}

// Returns how long after its suspension the victim counts as late. A command of the urgent unit may be a graph, as long
// as a whole burst. If the victim's contexts take turns, its commands seem longer than they are. Few completions are
// reported during a burst. And with a short timeslice the urgent unit has the device meanwhile.
int64_t late_after_ns(const Pass& pass, const Group& group, const Present& present) {
    const int64_t stretch_ns = pass.device.units[present.urgent_at].pauses.stretch_ns();
    if (group.mechanism == Mechanism::kTimeslice) return std::max(kLateNs, BurstLength::kTimes * stretch_ns);
    const bool is_known = !present.victim.copies && !present.victim.several_contexts();
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
