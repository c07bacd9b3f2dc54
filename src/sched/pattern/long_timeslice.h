// The timeslice in the hardware of the most urgent process. When it ends the hardware switches to a victim that is
// still on the device, and back. So the timeslice is made as long as the process's bursts. Pure functions; any thread.
#pragma once

#include <cstdint>

#include "sched/facts/costs.h"
#include "sched/facts/unit.h"

namespace xsched::sched {

// Returns the timeslice; 0: use the driver's own, because it suffices or no allowed one does. `costs`: those of taking
// a process off. `stretch_ns`: usual time between two pauses. `queued`: bursts may follow each other at once, and keep
// the device in between. `last_us`: what this returned last, since each change costs the process a call.
uint32_t long_timeslice_us(const Settings& settings, const Costs& costs, int64_t stretch_ns, bool queued,
                           uint32_t last_us);

// Returns the longest burst, with its switch, that ends in the timeslice in which it began. `leads`: the process may
// have a long timeslice.
int64_t longest_in_one_ns(const Settings& settings, const Costs& costs, bool leads);

}  // namespace xsched::sched
