// How a program has used its device (its think times and short pauses, its longest time without a completed command,
// the time it takes to be off the device): the start values for its next run. Plain data.
#pragma once

#include <array>
#include <cstdint>

#include "sched/facts/times.h"

namespace xsched::sched {

struct Habits {
    static constexpr unsigned kThinkTimes = kSampleTimes;
    // Longest pause that counts as short. In a shorter one the hardware would let a victim in, and the unit would wait
    // for it. Longer pauses are the program's rests between bursts (decision 014).
    static constexpr int64_t kShortNs = 1'000'000;

    int32_t priority = INT32_MIN;  // priority of the unit that had these habits: of several units the most urgent one's
                                   // are kept
    uint32_t think_times = 0;  // 0: nothing is known
    std::array<uint32_t, kThinkTimes> think_us{};  // think times: picked evenly from all that were remembered,
                                                   // ascending
    uint32_t pauses = 0;
    uint32_t short_ones = 0;  // a bit per pause: it was short
    uint32_t waited = 0;  // a bit per pause: it was short and began with a wait
    uint32_t off_us = 0;  // from a directive until it is off its device (off_times.h); 0: not known
    uint32_t longest_ms = 0;  // longest time from one completed command to the next (claim.h); 0: always below a second

    bool known() const { return think_times == kThinkTimes && pauses != 0; }
    bool worth_keeping() const { return known() || longest_ms != 0 || off_us != 0; }
    bool operator==(const Habits&) const = default;
};

// Habits of one process. As long as the process has units, the scheduler reads `last_run` and writes `now`.
struct ProgramHabits {
    Habits last_run;
    Habits now;
};

}  // namespace xsched::sched
