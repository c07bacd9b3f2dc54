#include "sched/mechanism/usage.h"

#include <algorithm>
#include <utility>

#include "sched/facts/rule_on.h"
#include "sched/order/foreseen.h"
#include "sched/pattern/long_timeslice.h"
#include "xsched/types.h"

namespace xsched::sched {
namespace {

InTurns in_turns(const UnitState& unit, const CopyShare& copies) {
    if (unit.unit.gang != 0) return InTurns::kPrevents;
    if (unit.level < kPreemptLevelInterrupt) return unit.shares_context() ? InTurns::kTakes : InTurns::kPrevents;
    return copies.mostly() && rule_on(Rule::kCopiesBeside) ? InTurns::kBeside : InTurns::kTakes;
}

// Returns how many pauses no keep-alive bridges. Keep-alives bridge those that begin with a wait, until a call would
// have taken a victim off, counted from the switch before the burst.
int64_t unbridged(const UnitHistory& unit, const Costs& costs, bool keeps_alive) {
    const int64_t pauses = unit.pauses.per_thousand();
    const int64_t length_ns = unit.burst_length.usual_ns();
    if (!keeps_alive || !unit.pauses.begin_with_wait() || length_ns == 0) return pauses;
    const int64_t beyond_ns = std::clamp<int64_t>(length_ns + costs.switch_ns() - costs.off_ns(), 0, length_ns);
    return pauses * beyond_ns / length_ns;
}

Returns returns_of(const Settings& settings, const UnitState& state, const UnitHistory& unit, bool keeps_alive) {
    const int64_t pauses = unit.pauses.per_thousand();
    const int64_t slice_ends = unit.pauses.stretch_ns() / longest_in_one_ns(settings, state.costs, unit.leads);
    return {.pauses = pauses,
            .unbridged = unbridged(unit, state.costs, keeps_alive),
            .before_call = keeps_alive ? 0 : pauses,
            .slice_ends = 1000 * slice_ends};
}

// Returns the length of its foreseen bursts, if it holds the device through them or to their end; otherwise 0.
int64_t held_ns(const Settings& settings, const UnitState& state, const UnitHistory& unit) {
    if (end_is_foreseen(settings, state, unit)) return unit.period.length_ns();
    const bool through = settings.foresight == Foresight::kHold && state.keeps_alive && unit.leads &&
                         may_hold_through(unit) && unit.hold_trial.reliable();
    return through ? unit.period.usual_length_ns() : 0;
}

void see_pauses(Pass& pass, uint32_t at) {
    const UnitState& state = pass.given.units[at];
    UnitHistory& unit = pass.device.units[at];
    if (!unit.pauses.observe(state) || !rule_on(Rule::kQueuedBursts)) return;
    const bool may_keep = state.keeps_alive && unit.leads && unit.pauses.streams_or_queues();
    unit.queued.begins(unit.pauses.last_ns(), unit.pauses.last_was_within(), may_keep, pass.device.budget.precautions,
                       pass.now_ns);
}

}  // namespace

void see_usage(Pass& pass, uint32_t at) {
    DeviceHistory& device = pass.device;
    const UnitState& state = pass.given.units[at];
    UnitHistory& unit = device.units[at];
    see_pauses(pass, at);
    if (state.several_contexts) unit.several_contexts_ns = pass.now_ns;
    unit.lengths.observe(state.completed, state.measured_ns, pass.now_ns);
    unit.copies.observe(state.copies, state.copied_bytes, state.completed, pass.now_ns);
    unit.write_habits(state.habits, state.unit.priority);
    const Pauses& pauses = unit.pauses;
    const bool careful = device.budget.precautions.used();
    const bool keeps_alive = state.keeps_alive && (careful ? pauses.may_begin_with_wait() : pauses.begin_with_wait());
    const Usage usage{.returns = returns_of(pass.settings, state, unit, keeps_alive),
                      .missing = careful ? pauses.missing() : 0,
                      .held_ns = held_ns(pass.settings, state, unit),
                      .lately = worked_lately(state, pass.now_ns) || !rule_on(Rule::kLately),
                      .holds_until_ns = state.holds_until_ns,
                      .in_turns = in_turns(state, unit.copies),
                      .only_copies = unit.copies.only()};
    if (std::exchange(device.usages[at], usage) != usage) device.rivals_changed = true;
    device.mark_group(at);
}

void see_idle(Pass& pass) {
    DeviceHistory& device = pass.device;
    for (uint32_t at = 0; at < device.usages.size(); ++at) {
        Usage& usage = device.usages[at];
        if (!usage.lately || !rule_on(Rule::kLately) || worked_lately(pass.given.units[at], pass.now_ns)) continue;
        usage.lately = false;
        device.rivals_changed = true;
    }
}

}  // namespace xsched::sched
