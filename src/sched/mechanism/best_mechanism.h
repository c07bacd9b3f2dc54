// Which mechanism is best for one victim, and what goes with it. Pure; any thread.
#pragma once

#include "sched/facts/mechanism.h"
#include "sched/facts/victim.h"

namespace xsched::sched {

// Returns the cheapest mechanism for this victim among those that its level allows.
Mechanism choose_mechanism(const Victim& victim);
// Chooses how running work is treated when the victim is suspended so, with or without a short timeslice in force.
Interrupt choose_interrupt(const Victim& victim, Mechanism mechanism, bool short_timeslice);
// Returns whether the victim has a short timeslice with its usual mechanism.
bool shortens_timeslice(const Victim& victim, Mechanism usual);
// Returns the least distance of its gates, in microseconds of device time; 0: as usual (queue/path/gate_spacing.h).
uint32_t gates_apart_us(const Victim& victim);

}  // namespace xsched::sched
