// Bursts that are expected from their unit's rhythm alone (period.h): what is done for them, and what that may cost
// other units (docs/decisions/016). Not thread-safe. No allocation.
#pragma once

#include <cstdint>

#include "sched/state/pass.h"

namespace xsched::sched {

// Returns the next burst of an idle unit, expected from its rhythm, if anything may be done for it; otherwise at_ns is
// 0.
Expected rhythm_of(Pass& pass, uint32_t place);
// Returns the time for which the unit wants the device beforehand; none if it does not. `victims_ns`: how long its
// victims take to be off. A unit whose process can keep the device need not want it: the hardware lets it in
// (UnitHistory::hold_until_ns).
Expected foresee(Pass& pass, uint32_t place, const Expected& rhythm, int64_t victims_off_ns);
// Predicts the end of the burst under way, if it is as long as those before. Until then the unit's process may hold the
// device, so that an interrupted victim can be let back in time.
void foresee_end(Pass& pass, uint32_t place);
// Returns whether the end of its bursts can be predicted and used: its bursts are long, it does not wait in its pauses
// (in a wait it could keep the device), and it launches more slowly than the device works.
bool end_is_foreseen(const Settings& settings, const UnitState& state, const UnitHistory& known);
// Returns whether its process may hold the device through a whole foreseen burst: its bursts contain waits, are brief,
// and are of about one length.
bool may_hold_through(const UnitHistory& known);
// Notes that a burst has begun. `length_ns`: length of the burst before; 0: unknown.
void note_held(UnitHistory& known, int64_t length_ns);
// Notes that the foreseen burst began at `ready_ns`: refunds what was taken from the budget and not needed.
void repay_foreseen(DeviceHistory& device, UnitHistory& known, int64_t ready_ns);

}  // namespace xsched::sched
