// Which mechanism is best for one victim, and what goes with it. Pure; any thread.
#pragma once

#include "sched/facts/mechanism.h"
#include "sched/facts/victim.h"

namespace xsched::sched {

// The cheapest for this victim, of those that its level allows.
Mechanism choose_mechanism(const Victim& victim);
// Chooses how running work is treated when the victim is suspended so, with or without a short timeslice in force.
Interrupt choose_interrupt(const Victim& victim, Mechanism mechanism, bool short_timeslice);
// Whether a short timeslice goes with the mechanism that is usual for the victim.
bool shortens_timeslice(const Victim& victim, Mechanism usual);
// How far apart its gates stand at least, in microseconds of device time; 0: as usual (queue/path/gate_spacing.h).
uint32_t gates_apart_us(const Victim& victim);

}  // namespace xsched::sched
