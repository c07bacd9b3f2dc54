// Estimates how much device time several units used together while they ran side by side. Each reports the time in
// which it had work, so the sum of the reports counts the same time several times. Each reports late, when a command
// completes, so a single report says little. Therefore sums since the stretch began are compared: together they used at
// most the time in which they could, and at least what one of them used.
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
    // One unit's device time in the present stretch.
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
    // Adds time in which the units could use the device.
    void could(int64_t ns) { could_ns_ = capped_sum(could_ns_, std::max<int64_t>(ns, 0)); }
    // Returns the device time that all units together used since the last call; time in which several ran side by side
    // counts once.
    int64_t take() {
        if (!std::exchange(reported_, false)) return 0;
        const int64_t all_ns = std::min(sum_ns_, std::max(most_ns_, could_ns_));
        // Time that no unit used must not count as used later. Only as much as the longest report is kept, since a unit
        // may still report that much.
        could_ns_ = std::min(could_ns_, capped_sum(all_ns, longest_ns_));
        return all_ns - std::exchange(taken_ns_, all_ns);
    }
    // Begins a new stretch with empty sums. Call this once all device time of the last stretch has been reported.
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
    int64_t most_ns_ = 0;  // the largest use of a single unit
    int64_t longest_ns_ = 0;  // said at once
    int64_t could_ns_ = 0;
    int64_t taken_ns_ = 0;
};

}  // namespace xsched::base
