// Times that several rules share. docs/decisions/028 has what changes in the simulator if each is half or twice as
// long.
#pragma once

#include <cstdint>

namespace xsched::sched {

// How late the scheduler sees changes that are not reported: the interval of its looks.
inline constexpr int64_t kLookNs = 50'000;  // decision 009
// Time until a sleeping thread has woken and written: the scheduler's before an announced burst, or a program's that
// takes its next request.
inline constexpr int64_t kWakeNs = 100'000;  // decision 005
// If the device goes on for this long behind closed gates, or an urgent unit completes nothing for this long, commands
// are longer than was believed. Work that a unit launched before its gate closed is seen within this time.
inline constexpr int64_t kLateNs = 2'000'000;  // decision 011
// For how long a unit's commands count as longer than they seem, or the unit as having unreported work, after that was
// proved once.
inline constexpr int64_t kProvenNs = 500'000'000;  // decision 011
// All verdicts are looked at again at least this often, even those of units that did not change.
inline constexpr int64_t kLookAtAllNs = 50'000'000;  // decision 028
// Longest time for which others wait because of a guess, and for which a guess stands before it is checked.
inline constexpr int64_t kMostGuessNs = 100'000'000;  // decision 017
// A shorter use of the device does not count: as a run that was of use, or as a burst whose length is learned.
inline constexpr int64_t kLeastUseNs = 200'000;  // decision 019
// Observations that are older say nothing about now: a program may be in another phase.
inline constexpr int64_t kLatelyNs = 1'000'000'000;  // decision 011

}  // namespace xsched::sched
