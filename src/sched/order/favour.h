// Between the bursts of a more urgent unit its victims run beside each other. The device's own turns may never come to
// the last of them. Such a unit would starve, and have its turn within a burst. So before that it gets a turn among its
// equals: the next time that they may run, all but this one are suspended for a moment. The urgent unit pays nothing,
// and the others one turn in half a starvation limit at most.
//
// Pure; not thread-safe; no allocation.
#pragma once

#include "sched/state/pass.h"

namespace xsched::sched {

// Changes the policy's answers, before they are judged.
void favour_who_starves(Pass& pass);

}  // namespace xsched::sched
