// A latency target of one program, and how long its bursts take: from the moment they have the device (including the
// time until the victim is off), and when the program is alone. The longest of the recent bursts count, since 99 of 100
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
    // Number of remembered bursts. It exceeds 100 because bursts that wait may take longer than bursts that do not. If
    // the latter were all forgotten, the next burst would wait and be late.
    static constexpr uint32_t kBursts = 128;

    // Notes the burst that is over. `alone`: no other program wanted the device meanwhile.
    void note(const Habits& habits, bool alone);

    // Returns the target in nanoseconds; 0: the target is a factor, and the length of a burst alone is not known yet.
    int64_t ns(int64_t slo_p99) const;
    // Returns when the present burst needs the device at the latest. Returns now if the length of bursts is not known.
    int64_t needs_device_ns(const Habits& habits, int64_t slo_p99, int64_t now_ns) const;
    // Returns whether the present burst can still be in time after `ran_ns` with the device. It cannot if no burst was
    // ever as short as the target, or if it has run for longer than that.
    bool can_be_met(int64_t slo_p99, int64_t ran_ns) const {
        const int64_t target_ns = ns(slo_p99);
        return is_known() && target_ns >= shortest_ns_ && ran_ns <= target_ns;
    }
    // Returns whether the target cannot be met: of the bursts that had the device at once, more missed it than chance
    // explains.
    bool is_impossible(int64_t target_ns) const;
    int64_t best_ns() const {
        return high(ran_us_) * 1000;
    }  // length that 99 of 100 bursts keep if they have the
       // device at once
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
    int64_t shortest_own_ns_ = 0;  // of own_us_: shortest burst while no other one ran
    int64_t spread_ns_ = 0;  // of latency_us_: 99 of 100 exceed the median by at most this
    int64_t alone_ns_ = 0;  // mean of bursts without rivals; 0: there was none
    uint32_t bursts_ = 0;
};

}  // namespace xsched::policy
