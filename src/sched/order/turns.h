// Equals (units of one priority) that make room for a more urgent unit run one after the other, each for its turn, if
// the hardware takes them off the device by a short timeslice (level 3). Side by side they would change places at that
// rate, so none of them could have a short timeslice, and each urgent burst would wait for a call that takes off all of
// them. One at a time can have a short timeslice: then a crowd of victims costs the urgent unit what a single victim
// does. A pool's programs share a context and run side by side: all of them together take one turn.
//
// Not thread-safe; no allocation.
#pragma once

#include "sched/state/pass.h"

namespace xsched::sched {

// Changes the policy's answers before they are judged: of equals that may run, lets one process or one pool run.
void take_turns(Pass& pass);

}  // namespace xsched::sched
