// Gates that were not enough: behind one, the device went on for longer than the lengths of commands say. They are not
// trusted again for half a second. If the more urgent unit's burst was longer for it, it is a second, and twice as long
// each time that this happens again soon: a training's step has such a phase each time.
//
// Pure; one object per group; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/doubling.h"

namespace xsched::sched {

class Distrust {
public:
    static constexpr int64_t kHarmlessNs = 500'000'000;  // decision 011
    static constexpr int64_t kFirstNs = 1'000'000'000;  // decision 017
    static constexpr int64_t kLongestNs = 64'000'000'000;  // decision 017
    static constexpr int64_t kForgetTimes = 4;  // without another time, for so many times as long as the last one

    void burst_begins() { in_this_burst_ = false; }
    void not_enough(int64_t now_ns) {
        until_ns_ = std::max(until_ns_, now_ns + kHarmlessNs);
        in_this_burst_ = true;
    }
    // A burst of the more urgent unit, which usually takes so long (0: not known).
    void burst_ended(int64_t lasted_ns, int64_t usual_ns, int64_t now_ns) {
        if (!std::exchange(in_this_burst_, false)) return;
        if (usual_ns == 0 || lasted_ns <= usual_ns + usual_ns / 4) return;
        if (now_ns - harm_until_ns_ >= kForgetTimes * lasts_.last()) lasts_.reset();
        harm_until_ns_ = now_ns + lasts_.next();
        until_ns_ = std::max(until_ns_, harm_until_ns_);
    }
    bool holds(int64_t now_ns) const { return now_ns < until_ns_; }

private:
    bool in_this_burst_ = false;
    int64_t until_ns_ = 0;
    int64_t harm_until_ns_ = 0;  // the last time that it did harm
    base::Doubling<int64_t, kFirstNs, kLongestNs> lasts_;  // and for how long that was
};

}  // namespace xsched::sched
