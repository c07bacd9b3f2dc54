// The cost of each preemption mechanism for the more urgent unit, in ns beyond the context switch that every one needs.
// One function per row of mechanism.def. The figures of the calls come from the device (costs.h). Pure; any thread.
#pragma once

#include <cstdint>
#include <limits>

#include "sched/facts/victim.h"

namespace xsched::sched {

// Returns the time from a queue's suspension until its work is off the device, as far as its level and the mean length
// of its commands (0: unknown) tell.
int64_t stop_ns(uint32_t level, int64_t command_ns, const Costs& costs);

namespace mechanism_costs {

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

inline int64_t never(const Victim&) { return kNever; }
inline int64_t when_nobody_preempts(const Victim& victim) { return victim.has_rival ? kNever : 0; }
int64_t of_gate(const Victim& victim);
int64_t of_timeslice(const Victim& victim);
int64_t of_interrupt(const Victim& victim);
int64_t of_interrupt_unknown(const Victim& victim);
int64_t of_interrupt_announced(const Victim& victim);

}  // namespace mechanism_costs
}  // namespace xsched::sched
