#include "sched/mechanism/losses.h"

#include <algorithm>

#include "sched/facts/times.h"
#include "xsched/types.h"

namespace xsched::sched {

namespace {

constexpr int64_t kUnknownNs = 1'000'000;  // a command whose length is not known (judgement)

// Returns how long the victim runs on at most after its gate has closed. If contexts of the victim take turns, at least
// half of what a command seems to take is time of the other contexts. If the rival is new or has changed, it may come
// before gates stand among the victim's commands: each then counts at least as long as a command of unknown length.
// Copies count as 0, since a burst does not wait for them.
int64_t residual_ns(const Victim& victim) {
    if (victim.copies) return 0;
    const int64_t command_ns = victim.command_ns != 0 ? victim.command_ns : kUnknownNs;
    const int64_t own_ns = victim.several_contexts() ? command_ns / 2 : command_ns;
    return victim.missing > 0 && !victim.has_peer ? std::max(own_ns, kUnknownNs) : own_ns;
}

// Returns what it costs that the hardware lets the victim in `per_thousand` times in a thousand bursts: two switches
// each.
int64_t returns_ns(const Victim& victim, int64_t per_thousand) {
    return 2 * victim.costs.switch_ns() * per_thousand / 1000;
}

// Returns whether a call can take the victim off before an announced burst begins. Every other way then costs the burst
// one switch more (first_switch_ns), because the victim comes back before the burst. Not with several contexts: there
// bursts behind gates were shorter by a fifth, on an H200 (docs/levels.md).
bool off_beforehand(const Victim& victim) { return victim.announced() && !victim.several_contexts(); }
int64_t first_switch_ns(const Victim& victim) { return off_beforehand(victim) ? victim.costs.switch_ns() : 0; }

bool may_call(const Victim& victim) { return victim.has_rival && !victim.copies && !off_beforehand(victim); }
bool may_have_timeslice(const Victim& victim) { return victim.costs.has_timeslices() && !victim.takes_turns(); }

}  // namespace

int64_t stop_ns(uint32_t level, int64_t command_ns, const Costs& costs) {
    // At level 3 short commands are interrupted too if the burst is announced. The second kWakeNs allows for an agent
    // that wakes late.
    if (level >= kPreemptLevelInterrupt) return kWakeNs + costs.off_ns() + kWakeNs;
    // At lower levels the victim stops when its commands have ended: those before a gate, or without gates all in
    // flight.
    const int64_t running_ns = command_ns != 0 ? command_ns : kUnknownNs;
    return kWakeNs + running_ns + (level >= kPreemptLevelDeactivate ? kBetweenGatesNs : kUnknownNs);
}

namespace losses {

bool a_timeslice(const Victim& victim) {
    return victim.has_rival && may_have_timeslice(victim) && victim.timeslice_wait_ns <= 0;
}
bool known_lengths(const Victim& victim) { return may_call(victim) && victim.command_ns != 0; }
bool unknown_lengths(const Victim& victim) { return may_call(victim) && victim.command_ns == 0; }
bool an_announcement(const Victim& victim) { return victim.has_rival && off_beforehand(victim); }

// Returns what the urgent unit loses if the victim stops at its gate: half of the residual on average. A victim in a
// short timeslice also comes back in each pause until it has reached its gate.
int64_t behind_gate(const Victim& victim) {
    const int64_t returns = victim.timeslice_us != 0 ? returns_ns(victim, victim.returns.unbridged) : 0;
    return residual_ns(victim) / 2 + first_switch_ns(victim) + returns;
}

int64_t in_timeslice(const Victim& victim) {
    return returns_ns(victim, victim.returns.unbridged + victim.returns.slice_ends) + first_switch_ns(victim);
}

// Returns what the urgent unit loses until a call has taken the victim off. A short timeslice takes the victim off
// within one switch, and it comes back at most once until the call is done. Without a short timeslice the victim runs
// on until then.
int64_t until_off(const Victim& victim) {
    if (!may_have_timeslice(victim)) return std::min(residual_ns(victim), victim.costs.off_ns()) / 2;
    return returns_ns(victim, std::min(victim.returns.before_call, int64_t{500}));
}

int64_t change_of_mind(const Victim& victim) {
    return victim.last == Mechanism::kInterrupt ? victim.costs.interrupt_ns() / 2 : 0;
}

int64_t calls(const Victim& victim) { return victim.costs.interrupt_ns(); }

}  // namespace losses
}  // namespace xsched::sched
