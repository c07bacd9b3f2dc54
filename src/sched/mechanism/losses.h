// The needs and the losses of each way to keep a victim off: the functions that mechanism.def names. Losses are
// expected ones, in ns per burst of the more urgent unit. The costs of a switch and of a call come from the device
// (costs.h). Pure; any thread.
#pragma once

#include <cstdint>

#include "sched/facts/victim.h"

namespace xsched::sched {

// Device time between two gates of a queue (queue/path/gate_spacing.h). When gates close, the device continues for
// half of this time on average.
inline constexpr int64_t kBetweenGatesNs = 150'000;  // decision 001

// Returns how long it takes from a queue's suspension until nothing of it runs on the device, estimated from its level
// and the mean length of its commands (0: not known).
int64_t stop_ns(uint32_t level, int64_t command_ns, const Costs& costs);

namespace losses {

inline bool never(const Victim&) { return false; }
inline bool no_rival(const Victim& victim) { return !victim.has_rival; }
inline bool a_rival(const Victim& victim) { return victim.has_rival; }
bool a_timeslice(const Victim& victim);
bool known_lengths(const Victim& victim);
bool unknown_lengths(const Victim& victim);
bool an_announcement(const Victim& victim);

inline int64_t nothing(const Victim&) { return 0; }
int64_t behind_gate(const Victim& victim);
int64_t in_timeslice(const Victim& victim);
int64_t until_off(const Victim& victim);

int64_t change_of_mind(const Victim& victim);
int64_t calls(const Victim& victim);

}  // namespace losses
}  // namespace xsched::sched
