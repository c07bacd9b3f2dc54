// Equals that make room for somebody more urgent run one after the other instead of beside each other, where the
// hardware takes them off the device by a short timeslice (level 3). Side by side they would change places at that
// rate, so that none of them could have one, and each burst of the urgent unit would wait for a call that takes off all
// of them. One at a time can have one: then a crowd of victims costs the urgent unit what a single one does.
//
// Not thread-safe; no allocation.
#pragma once

#include "sched/state/pass.h"

namespace xsched::sched {

// Changes the policy's answers: of equals that may run, one process does.
void take_turns(Pass& pass);

}  // namespace xsched::sched
