#include "sched/mechanism/mechanism_costs.h"

#include "sched/facts/rule_on.h"
#include "xsched/types.h"

namespace xsched::sched {

namespace {

constexpr int64_t kUnknownNs = 1'000'000;  // assumed length of a command of unknown length (judgement)
constexpr int64_t kReactionNs = 50'000;    // reaction time of the scheduler: a pass or two (decision 005)
// Device time between two gates of a queue (queue's throttling): when they close, the device continues for half of it
// on average.
constexpr int64_t kBetweenGatesNs = 150'000;  // decision 001
// How long before an announced burst to begin: the scheduler has to wake and write. The second bounds how much longer
// than usual the call may take. The third covers work in flight on a queue without gates.
constexpr int64_t kWakeNs = 100'000;  // decision 005
constexpr int64_t kCallMarginNs = 100'000;  // judgement
constexpr int64_t kInFlightNs = 1'000'000;  // judgement

// Favours the present choice: each change costs the victim a call.
int64_t with_hysteresis(int64_t limit_ns) { return rule_on(Rule::kHysteresis) ? limit_ns * 7 / 10 : limit_ns; }

// Returns the cost of an interrupt. If the victim has a short timeslice and the urgent unit keeps the device through
// its pauses, the victim is off within a switch and only the victim pays for the calls. So an interrupt pays for much
// shorter commands (on an H100, from a quarter of a millisecond instead of half a millisecond). A victim with several
// contexts has no short timeslice.
int64_t calls_ns(const Victim& victim) {
    const bool off_by_itself = rule_on(Rule::kKeptOffIsCheap) && victim.rival_keeps_alive && !victim.several_contexts &&
                               victim.costs.has_timeslices();
    return off_by_itself ? victim.costs.switch_ns() + kReactionNs : victim.costs.interrupt_ns();
}

// Returns whether a short timeslice is enough. If a burst outlasts the rival's own timeslice, the hardware turns to the
// victim and back at each end of that.
bool timeslice_does(const Victim& victim) {
    if (!victim.costs.has_timeslices()) return false;
    const bool stays = victim.rival_streams || victim.rival_is_brief;
    const bool outlasts = victim.rival_outlasts && rule_on(Rule::kOutlasts);
    return victim.has_rival && stays && !outlasts && !victim.takes_turns();
}

}  // namespace

int64_t stop_ns(uint32_t level, int64_t command_ns, const Costs& costs) {
    // At level 3 even a short command is interrupted if the burst is announced.
    if (level >= kPreemptLevelInterrupt) return kWakeNs + costs.off_ns() + kCallMarginNs;
    const int64_t running_ns = command_ns != 0 ? command_ns : kUnknownNs;
    return kWakeNs + running_ns + (level >= kPreemptLevelDeactivate ? kBetweenGatesNs : kInFlightNs);
}

namespace mechanism_costs {

// Returns the cost of a gate: the urgent unit waits for the command that runs, on average for half of it. If the
// victim's contexts take turns, half or more of a command's apparent length is the other contexts' time.
int64_t of_gate(const Victim& victim) {
    if (!victim.has_rival) return kNever;
    // An uncertain rival may pause often or not at all; level 3 suits both.
    const bool is_unsure = victim.rival_is_unsure && rule_on(Rule::kUnsureNoGate);
    if (is_unsure && victim.level >= kPreemptLevelInterrupt && !victim.has_peer) return kNever;
    const int64_t command_ns = victim.command_ns != 0 ? victim.command_ns : kUnknownNs;
    return victim.several_contexts ? command_ns / 2 : command_ns;
}

// Returns the cost of a short timeslice, which is set beforehand and needs no call. It suits rivals that use the device
// in one stretch. It does not suit peers, or contexts of one process: they would take turns.
int64_t of_timeslice(const Victim& victim) { return timeslice_does(victim) && !victim.announced ? 0 : kNever; }

int64_t of_interrupt(const Victim& victim) {
    const bool copies = victim.copies && rule_on(Rule::kCopiesStay);
    if (!victim.has_rival || victim.announced || victim.command_ns == 0 || copies) return kNever;
    return victim.last == Mechanism::kInterrupt ? with_hysteresis(calls_ns(victim)) : calls_ns(victim);
}

int64_t of_interrupt_unknown(const Victim& victim) {
    const bool copies = victim.copies && rule_on(Rule::kCopiesStay);
    const bool may_do = victim.has_rival && !victim.announced && !copies;
    return may_do && victim.command_ns == 0 ? calls_ns(victim) : kNever;
}

// Returns the cost of an interrupt before an announced burst: nothing, if the call is early enough. Behind its gate
// alone the victim would get the device back until the burst, which would then begin with a switch. Beside two
// contexts, bursts were a fifth shorter behind gates, on an H200 (docs/levels.md).
int64_t of_interrupt_announced(const Victim& victim) {
    if (!victim.has_rival || !victim.announced) return kNever;
    return victim.several_contexts && victim.command_ns != 0 ? calls_ns(victim) : 0;
}

}  // namespace mechanism_costs
}  // namespace xsched::sched
