// Derives from a unit's state and history how it uses the device, as far as its victims are concerned. Pure; not
// thread-safe.
#pragma once

#include <cstdint>

#include "sched/state/pass.h"

namespace xsched::sched {

// Brings the history and the `Usage` of the unit at that position up to date. Call before rivals are summed up.
void see_usage(Pass& pass, uint32_t at);
// Updates the usage of units that have not worked for long and whose state did not change. Looks at all units.
void see_idle(Pass& pass);

}  // namespace xsched::sched
