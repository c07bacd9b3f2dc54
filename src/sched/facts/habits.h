// How a program has used its device: what its next run begins with, instead of with nothing. Plain data.
#pragma once

#include <array>
#include <cstdint>

namespace xsched::sched {

struct Habits {
    static constexpr unsigned kThinkTimes = 8;
    // The hardware would let a victim in, in a shorter pause, and the unit would wait for it. Longer ones are the
    // program's rests between bursts (decision 014).
    static constexpr int64_t kShortNs = 1'000'000;

    int32_t priority = INT32_MIN;  // of the unit that had them: of several, the most urgent one's are kept
    uint32_t think_times = 0;      // 0: nothing is known
    std::array<uint32_t, kThinkTimes> think_us{};  // of all that were remembered, evenly picked, ascending
    uint32_t pauses = 0;
    uint32_t short_ones = 0;  // a bit per pause
    uint32_t waited = 0;      // likewise: those that are short and began with a wait
    uint32_t off_us = 0;      // from a directive until it is off its device (off_times.h); 0: not known
    uint32_t longest_ms = 0;  // from one completed command to the next (claim.h); 0: never a second or more

    bool known() const { return think_times == kThinkTimes && pauses != 0; }
    bool worth_keeping() const { return known() || longest_ms != 0 || off_us != 0; }
    bool operator==(const Habits&) const = default;
};

// Of a process. The scheduler reads the first and writes the second, as long as the process has units.
struct ProgramHabits {
    Habits last_run;
    Habits now;
};

}  // namespace xsched::sched
