// A latency target of one program, and what it takes to meet it: how long its bursts take once they have the device
// (what is left of the victim included), and alone. Bursts of the last while count, the longest of them: 99 of 100
// are to be in time.
//
// Pure; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "policy/auto/habits.h"

namespace xsched::policy {

class Target {
public:
    // More than 100: bursts that wait may take longer than those that do not. When the last of these is forgotten, a
    // burst waits again and is late.
    static constexpr uint32_t kBursts = 128;

    // A burst is over. `alone`: nobody else wanted the device meanwhile.
    void note(const Habits& habits, bool alone);

    // In nanoseconds; 0: it is a factor, and what a burst takes alone is not known yet.
    int64_t ns(int64_t slo_p99) const;
    // When the burst under way needs the device at the latest. Now, if it is not known how long it takes.
    int64_t needs_device_ns(const Habits& habits, int64_t slo_p99, int64_t now_ns) const;
    // Whether the burst under way can be in time, which has had the device for so long: not if none of its bursts was
    // as short as the target, or this one has taken longer alone.
    bool can_be_met(int64_t slo_p99, int64_t ran_ns) const {
        const int64_t target_ns = ns(slo_p99);
        return is_known() && target_ns >= shortest_ns_ && ran_ns <= target_ns;
    }
    // As far as its bursts tell that had the device at once: more of them than chance explains would have been late.
    bool is_impossible(int64_t target_ns) const;
    int64_t best_ns() const { return high(ran_us_) * 1000; }  // of 99 in 100, with the device at once
    int64_t had_ns() const { return high(latency_us_) * 1000; }
    bool is_known() const { return bursts_ >= Habits::kEnough; }

private:
    using Lengths = std::array<uint32_t, kBursts>;
    uint32_t count() const { return std::min(bursts_, kBursts); }
    int64_t high(const Lengths& lengths) const;
    int64_t median(const Lengths& lengths) const;

    Lengths ran_us_{};
    Lengths own_us_{};
    Lengths latency_us_{};
    int64_t longest_ns_ = 0;  // of ran_us_
    int64_t shortest_ns_ = 0;  // likewise
    int64_t shortest_own_ns_ = 0;  // of own_us_: what a burst takes alone, while no burst was
    int64_t spread_ns_ = 0;  // of latency_us_: 99 of 100 beyond the half of them
    int64_t alone_ns_ = 0;  // mean of bursts that were alone; 0: none was
    uint32_t bursts_ = 0;
};

}  // namespace xsched::policy
