// The planner: by which way (mechanism.def) one victim is kept off, and what goes with that.
//
// In one sentence: for each way it estimates what a burst of the more urgent unit loses and what the victim loses, and
// takes the way by which both lose least, where a nanosecond of the urgent unit counts as much as five of the victim.
//
// All losses are expected ones, in ns per burst, beyond what every way costs: one switch of the hardware to the urgent
// unit and one back. R is what the victim has before its gate (the length of its commands), s a switch, c the time
// until a call has taken it off, i both calls together. n are the urgent unit's short pauses in a burst, in which the
// hardware lets a victim in, for two switches each.
//
//   way            the urgent unit's burst loses                 the victim loses
//   gate           R / 2; in a short timeslice, 2 s n            i / 2 where a call was the way so far
//   timeslice      2 s (n + ends of the urgent timeslice)        nothing
//   call           2 s (n until the call is done, at most 1/2)   i
//   the same       min(R, c) / 2, without a short timeslice      i
//   announced      nothing; the other ways s, as it comes back   i
//
// Keep-alives bridge the pauses that begin with a wait, but only until a call would be done (docs/decisions/003): n
// counts the others. Unknown numbers have a prior: commands of 1 ms, one pause in a burst, and behind a gate 1 ms too
// where a rival is new. The precautions' budget pays for a way that only that prior makes the best; else that prior
// does not count. Pure; any thread.
#pragma once

#include "sched/facts/candidates.h"
#include "sched/facts/mechanism.h"
#include "sched/facts/victim.h"

namespace xsched::sched {

// Returns the ways that this victim's level and its device allow, each with its expected losses.
Candidates candidates(const Victim& victim);
// Returns the way by which the urgent unit and the victim together lose least.
Mechanism choose_mechanism(const Victim& victim);
// Chooses how running work is treated when the victim is kept off by `mechanism`, with or without a short timeslice
// in force.
Interrupt choose_interrupt(const Victim& victim, Mechanism mechanism, bool short_timeslice);
// Returns whether the victim gets a short timeslice in addition to its usual mechanism.
bool shortens_timeslice(const Victim& victim, Mechanism usual);
// Returns the least distance of the victim's gates, in microseconds of device time; 0: as usual
// (queue/path/gate_spacing.h).
uint32_t gates_apart_us(const Victim& victim);

}  // namespace xsched::sched
