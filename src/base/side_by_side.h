// How much of one device several have had together while they used it side by side. Each says how much it has had, as
// it measures that: the time in which it had work there, so that their sum counts the same time several times. And each
// says it late, when something of it completes, so that single reports say nothing. Hence sums since the begin of a
// stretch: together they have had no more than the time in which they could, and no less than one of them.
//
// Pure; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/capped.h"

namespace xsched::base {

class SideBySide {
public:
    // One user's time of the device in the present stretch.
    struct Part {
        uint32_t stretch = 0;
        int64_t ns = 0;
    };

    void had(Part& part, int64_t ns) {
        if (std::exchange(part.stretch, stretch_) != stretch_) part.ns = 0;
        part.ns = capped_sum(part.ns, ns);
        sum_ns_ = capped_sum(sum_ns_, ns);
        most_ns_ = std::max(most_ns_, part.ns);
        longest_ns_ = std::max(longest_ns_, ns);
        reported_ = true;
    }
    // They could use the device for so long since they were asked last.
    void could(int64_t ns) { could_ns_ = capped_sum(could_ns_, std::max<int64_t>(ns, 0)); }
    // Returns the time that they have had together since the last call.
    int64_t take() {
        if (!std::exchange(reported_, false)) return 0;
        const int64_t all_ns = std::min(sum_ns_, std::max(most_ns_, could_ns_));
        // Time in which nothing was had is no credit for later, beyond what may still be said of it.
        could_ns_ = std::min(could_ns_, capped_sum(all_ns, longest_ns_));
        return all_ns - std::exchange(taken_ns_, all_ns);
    }
    // All that they had is said.
    void restart() {
        if (sum_ns_ == 0 && could_ns_ == 0) return;
        *this = SideBySide(stretch_ + 1);
    }

    SideBySide() = default;

private:
    explicit SideBySide(uint32_t stretch) : stretch_(stretch) {}

    uint32_t stretch_ = 1;
    bool reported_ = false;
    int64_t sum_ns_ = 0;
    int64_t most_ns_ = 0;  // by one of them
    int64_t longest_ns_ = 0;  // said at once
    int64_t could_ns_ = 0;
    int64_t taken_ns_ = 0;
};

}  // namespace xsched::base
