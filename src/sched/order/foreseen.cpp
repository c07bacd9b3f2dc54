#include "sched/order/foreseen.h"

#include <algorithm>
#include <utility>

#include "sched/facts/rule_on.h"

namespace xsched::sched {
namespace {

// Longest burst, in hardware switches, for which the device is held beforehand. One switch more hardly lengthens such a
// burst, and its victims would have to pay for the hold instead.
constexpr int64_t kSwitches = 25;

// Returns whether the unit may get the device before its burst with no other unit suspended: short timeslices let it in
// within one switch. It may not before an equally urgent unit, nor before work of its own process, which would wait
// too. A unit that copies beside others' turns has no short timeslice and needs no hold.
bool may_hold(const Pass& pass, uint32_t place) {
    const DeviceHistory& device = pass.device;
    const uint32_t at = device.eligible[place];
    const uint64_t process = pass.given.units[at].unit.process;
    bool anybody = false;
    for (uint32_t other = 0; other < device.eligible.size(); ++other) {
        if (device.ready[other] == 0) continue;
        const uint32_t its = device.eligible[other];
        if (device.urgency[its] >= device.urgency[at] || pass.given.units[its].unit.process == process) return false;
        if (device.groups[device.units[its].group].has_short_timeslice(pass.now_ns)) {
            anybody = true;
        } else if (device.usages[its].in_turns != InTurns::kBeside) {
            return false;
        }
    }
    return anybody;
}

// Begins the preparation for a foreseen burst. The most that it may cost is taken from the budget in advance.
void begin(Pass& pass, uint32_t place, const Expected& next, bool holds) {
    const Costs& costs = pass.unit(place).costs;
    Foreseen& foreseen = pass.history(place).foreseen;
    foreseen.begun_ns = pass.now_ns;
    foreseen.until_ns = next.until_ns;
    foreseen.costs_from_ns = holds ? pass.now_ns + Foreseen::wakes_ns() + costs.switch_ns() : pass.now_ns;
    int64_t most_ns = std::max<int64_t>(next.until_ns - foreseen.costs_from_ns, 0);
    if (holds) most_ns += 2 * costs.switch_ns();  // two more switches if the burst stays away
    const int64_t calls_ns = holds ? 0 : costs.interrupt_ns();  // calls are not refunded
    const bool may = !holds || may_hold(pass, place);
    foreseen.too_dear = may && !pass.device.budget.foresight.take(most_ns + calls_ns, pass.now_ns);
    foreseen.refused = !may || foreseen.too_dear;
    foreseen.taken_ns = foreseen.refused ? 0 : most_ns;
    foreseen.through = holds && !foreseen.refused && pass.history(place).leads && may_hold_through(pass.history(place));
}

}  // namespace

Expected rhythm_of(Pass& pass, uint32_t place) {
    const UnitState& state = pass.unit(place);
    if (!rule_on(Rule::kRhythm) || pass.settings.foresight == Foresight::kNone || state.ready) return {};
    if (state.unit.expect_ns != 0 || state.unit.period_us != 0) return {};
    if (!state.keeps_alive && pass.settings.foresight != Foresight::kTakeOff) return {};
    const int64_t lost_in_ns = kSwitches * state.costs.switch_ns();
    const bool is_long = state.keeps_alive && lost_in_ns != 0 && pass.history(place).period.length_ns() > lost_in_ns;
    if (is_long) return {};
    return pass.history(place).period.next(state.idle_since_ns, pass.now_ns);
}

Expected foresee(Pass& pass, uint32_t place, const Expected& rhythm, int64_t victims_off_ns) {
    const UnitState& state = pass.unit(place);
    UnitHistory& known = pass.history(place);
    const bool holds = state.keeps_alive;
    const int64_t before_ns = holds ? Foreseen::prepares_ns(state.costs) : victims_off_ns;
    const int64_t begin_ns = rhythm.begin_ns(before_ns);
    const bool begun = pass.now_ns >= begin_ns;
    if (known.foreseen.at_ns != rhythm.at_ns)
        known.foreseen = {.at_ns = rhythm.at_ns,
                          .until_ns = rhythm.until_ns,
                          .most_lead_ns = rhythm.most_lead_ns,
                          .apart_ns = rhythm.at_ns - known.period.began_ns()};
    if (begun && known.foreseen.begun_ns == 0) begin(pass, place, rhythm, holds);
    if (known.foreseen.refused) return {};
    if (!holds) return rhythm;
    pass.wake(begun ? rhythm.until_ns : begin_ns);
    if (!begun || !rule_on(Rule::kHoldBefore)) return {};
    known.hold_until_ns = rhythm.until_ns;
    if (known.foreseen.through) known.hold_behind_ns = known.period.usual_length_ns() + EvenTimes::kEarlyNs;
    return {};
}

void foresee_end(Pass& pass, uint32_t place) {
    const UnitState& state = pass.unit(place);
    UnitHistory& known = pass.history(place);
    if (!end_is_foreseen(pass.settings, state, known)) return;
    const Expected end = known.period.end(pass.now_ns);
    if (end.at_ns == 0) return;
    known.timed = true;
    const int64_t begin_ns = end.begin_ns(Foreseen::wakes_ns() + state.costs.interrupt_ns());
    pass.wake(pass.now_ns < begin_ns ? begin_ns : end.until_ns);
    if (pass.now_ns < begin_ns) return;
    known.hold_until_ns = end.until_ns;
    known.hold_to_end = true;
}

bool end_is_foreseen(const Settings& settings, const UnitState& state, const UnitHistory& known) {
    if (!rule_on(Rule::kHoldToEnd)) return false;
    if (settings.foresight == Foresight::kNone || !state.keeps_alive || !known.leads) return false;
    if (known.pauses.streams() || known.pauses.begin_with_wait()) return false;
    return known.period.length_ns() >= kBriefHoldNs;
}

bool may_hold_through(const UnitHistory& known) {
    if (!rule_on(Rule::kHoldThrough)) return false;
    const int64_t length_ns = known.period.usual_length_ns();
    if (length_ns == 0 || length_ns >= kBriefHoldNs || !known.period.even()) return false;
    return !known.pauses.streams() && known.pauses.begin_with_wait() &&
           (known.hold_trial.may() || !rule_on(Rule::kHoldTrial));
}

void note_held(UnitHistory& known, int64_t length_ns) {
    if (length_ns == 0) return;
    if (known.was_foreseen) known.hold_trial.note(known.held_through, length_ns);
    known.was_foreseen = known.foreseen.begun_ns != 0;
    if (known.period.even()) known.hold_trial.note_missed(!known.was_foreseen || known.foreseen.too_dear);
    known.held_through = known.was_foreseen && known.foreseen.through;
}

void repay_foreseen(DeviceHistory& device, UnitHistory& known, int64_t ready_ns) {
    Foreseen& foreseen = known.foreseen;
    if (foreseen.taken_ns == 0 || ready_ns <= foreseen.begun_ns || ready_ns > foreseen.until_ns) return;
    const int64_t cost_ns = std::max<int64_t>(ready_ns - foreseen.costs_from_ns, 0);
    device.budget.foresight.give_back(std::max<int64_t>(std::exchange(foreseen.taken_ns, 0) - cost_ns, 0));
}

}  // namespace xsched::sched
