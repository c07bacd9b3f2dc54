// The timeslice in the hardware of the most urgent process. At the end of one the hardware turns to a victim that is
// not off the device, and back: so it is as long as the process's bursts. Pure functions; any thread.
#pragma once

#include <cstdint>

#include "sched/facts/unit.h"

namespace xsched::sched {

// `stretch_ns`: the usual time between two pauses. `queued`: bursts may follow each other at once, and keep the device
// in between. `last_us`: what this returned last. 0: the driver's own does, or none is long enough. Each change costs
// the process a call.
uint32_t long_timeslice_us(const Settings& settings, int64_t stretch_ns, bool queued, uint32_t last_us);

// A burst that takes longer, its switch included, ends in another timeslice of its process than it began in. `leads`:
// that may be a long one.
int64_t longest_in_one_ns(const Settings& settings, bool leads);

}  // namespace xsched::sched
