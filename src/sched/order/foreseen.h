// Bursts that are expected for their unit's rhythm alone (period.h): what is done for them, and what it may cost the
// others (docs/decisions/016). Not thread-safe. No allocation.
#pragma once

#include <cstdint>

#include "sched/state/pass.h"

namespace xsched::sched {

// Of an idle unit, from its rhythm, if anything may be done for it. None: at_ns is 0.
Expected rhythm_of(Pass& pass, uint32_t place);
// Returns the time for which the unit wants the device beforehand, with victims that take so long to be off it; none:
// it does not. Where its process can keep the device, it need not want it: it is let in (UnitHistory::hold_until_ns).
Expected foresee(Pass& pass, uint32_t place, const Expected& rhythm, int64_t victims_off_ns);
// The burst under way ends soon, if it is as long as those before: until then the unit's process may hold the device,
// so that a victim that was taken off can be let back in time.
void foresee_end(Pass& pass, uint32_t place);
// Whether that may be done for it: one with long bursts that pauses without a wait, in which it could keep the device,
// and launches more slowly than the device works.
bool end_is_foreseen(const Settings& settings, const UnitState& state, const UnitHistory& known);
// Whether its process may hold the device through the whole of a burst that is foreseen: one that waits within its
// bursts, which are brief and of about one length.
bool may_hold_through(const UnitHistory& known);
// Another burst has begun. `length_ns`: of the one before; 0: not known.
void note_held(UnitHistory& known, int64_t length_ns);
// It has work since then: what was taken for it and not needed is given back.
void repay_foreseen(DeviceHistory& device, UnitHistory& known, int64_t ready_ns);

}  // namespace xsched::sched
