// When a unit's next burst is expected, from the rhythm of its bursts alone, which nobody has told. Only where the
// last ones came so evenly that waiting for the next costs little; one that stays away ends the belief. A burst begins
// after a pause that is not short (pauses.h). Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sched/expectation.h"

namespace xsched::sched {

class Period {
public:
    static constexpr unsigned kEnough = 8;                   // intervals, all of them even
    static constexpr int64_t kLongPauseNs = 1'000'000;
    static constexpr int64_t kMostSpreadNs = 500'000;        // between the shortest of them and the longest
    static constexpr int64_t kMarginNs = 50'000;             // before the earliest and behind the latest
    static constexpr int64_t kLeastPeriodNs = 4'000'000;  // shorter ones leave nothing for it
    static constexpr int64_t kMostPeriodNs = 1'000'000'000;

    // The unit as seen now.
    void observe(int64_t ready_since_ns, int64_t idle_since_ns) {
        if (ready_since_ns <= began_ns_ || ready_since_ns - idle_since_ns < kLongPauseNs) return;
        if (began_ns_ != 0) add(ready_since_ns - began_ns_);
        began_ns_ = ready_since_ns;
    }

    // Until it has come or is given up.
    Expected next(int64_t now_ns) {
        if (count_ < kEnough) return {};
        const auto [least, most] = std::minmax_element(intervals_.begin(), intervals_.end());
        if (*most - *least > kMostSpreadNs) return {};
        const Expected next{.at_ns = began_ns_ + *least - kMarginNs,
                            .until_ns = began_ns_ + *most + kMarginNs,
                            .most_lead_ns = *least / 2};
        if (now_ns < next.until_ns) return next;
        if (now_ns >= next.until_ns + kMostSpreadNs) count_ = 0;  // it has stayed away
        return {};  // it is late
    }

private:
    void add(int64_t interval_ns) {
        if (interval_ns < kLeastPeriodNs || interval_ns > kMostPeriodNs) {
            count_ = 0;
            return;
        }
        intervals_[next_] = interval_ns;
        next_ = (next_ + 1) % kEnough;
        count_ = std::min(count_ + 1, kEnough);
    }

    std::array<int64_t, kEnough> intervals_{};
    unsigned next_ = 0;
    unsigned count_ = 0;
    int64_t began_ns_ = 0;
};

// A burst that is expected for its unit's rhythm alone, and what was taken for it (precautions.h).
struct Foreseen {
    // To have the device by then: until the process's agent has woken, beside the hardware's switch.
    static constexpr int64_t kWakeNs = 100'000;

    int64_t at_ns = 0;
    int64_t until_ns = 0;
    int64_t begun_ns = 0;  // since when something is done for it
    int64_t costs_from_ns = 0;  // from then on nobody has anything of the device; the switch is needed in any case
    int64_t taken_ns = 0;
    bool refused = false;
};

}  // namespace xsched::sched
