// How long a unit's longest commands have been, recently and in the last moments. The mean alone misleads: in a
// training step, thousands of short kernels are followed by some of a millisecond. Gates (at which the device waits
// while the unit is suspended) are spaced by the mean length, so long kernels may lie between two gates and keep the
// device busy. Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/times.h"

namespace xsched::sched {

class CommandLengths {
public:
    // Least time of a sample. Completions are seen with varying delay, so a few short commands would say little.
    static constexpr int64_t kSampleNs = 1'000'000;  // judgement

    // Takes the count of completed commands and the device time that they took.
    void observe(uint64_t completed, int64_t busy_ns, int64_t now_ns) {
        const bool known = seen_ns_ != 0 && completed >= completed_ && busy_ns >= busy_ns_;
        const uint64_t commands = completed - completed_;
        const int64_t ns = busy_ns - busy_ns_;
        if (known && (commands == 0 || (commands < uint64_t{kSampleCommands} && ns < kSampleNs))) return;
        if (known) {
            const int64_t sample_ns = ns / static_cast<int64_t>(commands);
            lately_ns_ = std::max(sample_ns, lately_ns(now_ns));
            just_now_ns_ = std::max(sample_ns, just_now_ns(now_ns));
        }
        completed_ = completed;
        busy_ns_ = busy_ns;
        seen_ns_ = now_ns;
    }
    // Return the mean length of the slowest recent commands, and less of it the older the last sample is: nothing after
    // one second (lately_ns) or 50 ms (just_now_ns). 0: unknown.
    int64_t lately_ns(int64_t now_ns) const { return what_is_left(lately_ns_, now_ns - seen_ns_, kLatelyNs); }
    int64_t just_now_ns(int64_t now_ns) const { return what_is_left(just_now_ns_, now_ns - seen_ns_, kLookAtAllNs); }

private:
    static int64_t what_is_left(int64_t ns, int64_t passed_ns, int64_t forgotten_ns) {
        const int64_t left_ns = std::max<int64_t>(forgotten_ns - std::max<int64_t>(passed_ns, 0), 0);
        return static_cast<int64_t>(static_cast<double>(ns) * static_cast<double>(left_ns) /
                                    static_cast<double>(forgotten_ns));
    }

    uint64_t completed_ = 0;
    int64_t busy_ns_ = 0;
    int64_t seen_ns_ = 0;  // 0: never
    int64_t lately_ns_ = 0;
    int64_t just_now_ns_ = 0;
};

}  // namespace xsched::sched
