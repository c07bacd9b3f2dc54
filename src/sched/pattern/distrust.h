// Tracks gates that failed: the device kept running longer behind a closed gate than the command lengths predict. The
// gates are then not trusted for half a second. If a failure made a more urgent burst longer, the time is a second, and
// doubles each time that this happens again soon: a training step has such a phase each time.
//
// Pure; one object per group; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/doubling.h"
#include "sched/facts/times.h"

namespace xsched::sched {

class Distrust {
public:
    static constexpr int64_t kLongestNs = 64'000'000'000;  // decision 017
    static constexpr int64_t kForgetTimes = 4;  // without a new failure for this many times the last period, the
                                                // doubling starts over

    void burst_begins() { in_this_burst_ = false; }
    void not_enough(int64_t now_ns) {
        until_ns_ = std::max(until_ns_, now_ns + kProvenNs);
        in_this_burst_ = true;
    }
    // Notes a burst of the more urgent unit. `usual_ns`: its usual length; 0: unknown.
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
    int64_t harm_until_ns_ = 0;  // end of the last period that began with a longer burst
    base::Doubling<int64_t, kLatelyNs, kLongestNs> lasts_;  // length of such a period
};

}  // namespace xsched::sched
