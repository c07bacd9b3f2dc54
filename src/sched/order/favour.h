// In the pauses of a more urgent unit its victims run side by side. The hardware's own timeslices may never come to one
// of them. That victim would starve, and the starvation limit would then let it run within a burst. So before that it
// gets a turn among its equals (the victims of the same priority): the next time that they may run, all others are
// suspended for a moment. The urgent unit loses nothing, and the others lose at most one turn per half starvation
// limit.
//
// Pure; not thread-safe; no allocation.
#pragma once

#include "sched/state/pass.h"

namespace xsched::sched {

// Changes the policy's answers before they are judged: favours a unit that nearly starves.
void favour_who_starves(Pass& pass);

}  // namespace xsched::sched
