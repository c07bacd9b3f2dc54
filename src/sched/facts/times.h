// Times, and sizes of samples, that several rules share. docs/decisions/028 has what changes in the simulator if each
// is half or twice as long.
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
// After this long without progress something that was not seen may be the cause: the unit's process is stopped, it
// waits for another unit's work, or a call of the driver waits for work of a queue that was presumed idle. Also the
// longest time for which victims are tried beside an urgent unit before it is seen how that is (decision 031).
inline constexpr int64_t kUnseenNs = 20'000'000;  // decision 017
// For how long a unit's commands count as longer than they seem, or the unit as having unreported work, after that was
// proved once.
inline constexpr int64_t kProvenNs = 500'000'000;  // decision 011
// All verdicts are looked at again at least this often, even those of units that did not change.
inline constexpr int64_t kLookAtAllNs = 50'000'000;  // decision 028
// Longest time for which others wait because of a guess, and for which a guess stands before it is checked.
inline constexpr int64_t kMostGuessNs = 100'000'000;  // decision 017
// A shorter use of the device does not count: as a run that was of use, or as a burst whose length is learned. A
// shorter rest is no end of a use: a switch and back takes longer.
inline constexpr int64_t kLeastUseNs = 200'000;  // decision 019
// Observations that are older say nothing about now: a program may be in another phase.
inline constexpr int64_t kLatelyNs = 1'000'000'000;  // decision 011

// Least number of commands from which a program's usual ones are inferred. Fewer say little, since commands are
// counted at their launch or when they are seen to complete.
inline constexpr int64_t kSampleCommands = 16;
// How many of the last times are compared with each other, so that a few strays among them can be told.
inline constexpr unsigned kSampleTimes = 8;
// How many alike times among the last kSampleTimes make a habit, or unlike ones end it.
inline constexpr unsigned enough_times() { return kSampleTimes / 2; }

}  // namespace xsched::sched
