#include "sched/mechanism/present.h"

#include <algorithm>

#include "sched/facts/rule_on.h"

namespace xsched::sched {

namespace {

// Returns for how long at most the unit is suspended before a more urgent unit needs the device: until that one's burst
// is given up.
int64_t lead_ns(const Pass& pass, const Verdict& verdict) {
    if (verdict.reason != Reason::kCopiesWait && verdict.reason != Reason::kExpected) return 0;
    const Expected& expected = pass.device.units[verdict.by_at].expected;
    return expected.at_ns != 0 ? expected.until_ns - pass.now_ns : 0;
}

}  // namespace

Present look_at(const Pass& pass, const Group& group) {
    const DeviceHistory& device = pass.device;
    Present present;
    present.victim.level = kPreemptLevelInterrupt;
    uint64_t by = 0;
    for (uint32_t i = group.begin; i < group.end; ++i) {
        const uint32_t at = device.members[i];
        const UnitState& state = pass.given.units[at];
        const Verdict& verdict = device.verdicts[at];
        Victim& victim = present.victim;
        device.rivals.look(at, state, device.usages[at], victim);
        victim.level = std::min(victim.level, state.level);
        const bool several = state.several_contexts;
        const bool remembers = rule_on(Rule::kContextsLast) && !several;
        const int64_t ago_ns = remembers ? device.units[at].contexts_ago_ns(pass.now_ns) : several ? 0 : INT64_MAX;
        victim.contexts_ago_ns = std::min(victim.contexts_ago_ns, ago_ns);
        victim.costs.join(state.costs);
        const int64_t command_ns = state.unit.command_ns;  // 0: not known
        const CommandLengths& lengths = device.units[at].lengths;
        const bool counts = command_ns != 0 && rule_on(Rule::kJustNow);
        victim.command_ns = std::max({victim.command_ns, command_ns, counts ? lengths.just_now_ns(pass.now_ns) : 0});
        present.longest_ns = std::max(present.longest_ns, lengths.lately_ns(pass.now_ns));
        present.stretch_ns =
            std::max({present.stretch_ns, device.units[at].pauses.stretch_ns(), device.units[at].period.length_ns()});
        present.queued = present.queued || device.units[at].queued.lately();
        victim.lead_ns = std::max(victim.lead_ns, lead_ns(pass, verdict));
        present.suspended = present.suspended && verdict.suspend;
        present.ready = present.ready || state.ready;
        present.slowed = present.slowed || state.slowed;
        present.background = present.background && state.unit.background != 0;
        present.leads = present.leads || device.rivals.leads(at, state);
        present.completed += state.completed;
        present.progress_ns = std::max({present.progress_ns, state.progress_ns, state.idle_since_ns});
        present.has_turn = present.has_turn || (!verdict.suspend && verdict.reason == Reason::kStarved);
        if (verdict.by > by) {
            by = verdict.by;
            present.urgent_at = verdict.by_at;
            present.urgent = &pass.given.units[verdict.by_at];
            present.urgent_is_equal = device.urgency[verdict.by_at] <= device.urgency[at];
        }
        // The hardware knows only the process, which gets the timeslice of its most urgent unit: 0, the driver's own,
        // is the longest.
        const uint32_t its_us = device.rivals.timeslice_us(at);
        const bool own = its_us == 0 || (i != group.begin && present.timeslice_us == 0);
        present.timeslice_us = own ? 0 : std::max(its_us, present.timeslice_us);
    }
    return present;
}

}  // namespace xsched::sched
