// The use of the device by a unit, according to its state, as far as that matters to its victims. Pure; not
// thread-safe.
#pragma once

#include <cstdint>

#include "sched/state/pass.h"

namespace xsched::sched {

// Brings the history of the unit at that position, and its `Usage`, up to date. Before rivals are summed up.
void see_usage(Pass& pass, uint32_t at);
// Likewise of those that have not worked for long, and so did not change. Of all units.
void see_idle(Pass& pass);

}  // namespace xsched::sched
