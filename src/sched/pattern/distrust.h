// Tracks gates that failed. A gate is a word in memory on which the device waits: while it is closed, no command behind
// it starts. It has failed if the device kept running for longer after the closing than the lengths of the commands
// before it predict. The gates are then not trusted for half a second. If a failure made a more urgent burst longer,
// the time is a second, and doubles each time that this happens again soon: a training step has such a phase each time.
//
// Pure; one object per group; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sched/facts/times.h"
#include "sched/pattern/back_off.h"

namespace xsched::sched {

class Distrust {
public:
    void burst_begins() { in_this_burst_ = false; }
    void not_enough(int64_t now_ns) {
        until_ns_ = std::max(until_ns_, now_ns + kProvenNs);
        in_this_burst_ = true;
    }
    // Notes a burst of the more urgent unit. `usual_ns`: its usual length; 0: unknown.
    void burst_ended(int64_t lasted_ns, int64_t usual_ns, int64_t now_ns) {
        if (!std::exchange(in_this_burst_, false)) return;
        if (usual_ns == 0 || lasted_ns <= usual_ns + usual_ns / 4) return;
        harmful_.failed(now_ns);
    }
    bool holds(int64_t now_ns) const { return now_ns < until_ns_ || harmful_.lasts(now_ns); }

private:
    bool in_this_burst_ = false;
    int64_t until_ns_ = 0;
    BackOff harmful_;  // periods that began with a longer burst
};

}  // namespace xsched::sched
