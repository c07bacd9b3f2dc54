// Chooses the mechanism by which the units of a device are kept off it, group by group (group.h), once the verdicts say
// which units are suspended. Looks only at groups that have changed. Pure; not thread-safe; no allocation once it has
// seen as many units.
#pragma once

#include "sched/state/pass.h"

namespace xsched::sched {

// Fills in Verdict::preemption.
void choose_mechanisms(Pass& pass);

}  // namespace xsched::sched
