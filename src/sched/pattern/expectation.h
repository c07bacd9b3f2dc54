// When a unit's next burst is expected, from what its program or a person announced: one time, or a period.
//
// A time counts until a burst begins about then, or the slack after it has passed. A period counts from the begin of a
// burst on: the next one is expected a period later. A burst that begins much earlier belongs to the burst before (a
// program that synchronizes within a burst is ready again and again). A burst that stays away is expected again one
// period later, but only a few times: the program may do something else by now.
//
// Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/habits.h"
#include "sched/facts/times.h"

namespace xsched::sched {

// An expected burst. All 0: none.
struct Expected {
    int64_t at_ns = 0;         // it begins
    int64_t until_ns = 0;      // when it is given up
    int64_t most_lead_ns = 0;  // most time that the device is kept free before it

    // Returns when units must be suspended that take `off_ns` to be off the device.
    int64_t begin_ns(int64_t off_ns) const { return at_ns - std::clamp(off_ns, int64_t{0}, most_lead_ns); }
};

class Expectation {
public:
    // How early or late an announced burst may begin: by a pause that counts as short (decision 028).
    static constexpr int64_t kSlackNs = Habits::kShortNs;

    // Takes the unit's state as seen now. `announced_ns`, `period_ns`: 0 if there is no such hint.
    void observe(int64_t announced_ns, int64_t period_ns, int64_t ready_since_ns) {
        announced_ns_ = announced_ns;
        period_ns_ = period_ns;
        burst_ns_ = ready_since_ns;
        if (ready_since_ns != 0 && (first_ns_ == 0 || ready_since_ns - first_ns_ >= period_ns - period_ns / 4))
            first_ns_ = ready_since_ns;
    }

    // Returns the earliest burst that has neither come nor been given up.
    Expected next(int64_t now_ns) const {
        const Expected once = announced(now_ns);
        const Expected again = periodic(now_ns);
        if (once.at_ns == 0 || again.at_ns == 0) return once.at_ns != 0 ? once : again;
        return once.at_ns <= again.at_ns ? once : again;
    }

private:
    // Returns the announced burst; at_ns is 0 if there is none or it is over. The device is kept free before it for
    // kMostGuessNs at most: an idle device for a longer time costs victims too much.
    Expected announced(int64_t now_ns) const {
        if (announced_ns_ == 0 || now_ns >= announced_ns_ + kSlackNs) return {};
        if (burst_ns_ >= announced_ns_ - kSlackNs) return {};
        return {.at_ns = announced_ns_, .until_ns = announced_ns_ + kSlackNs, .most_lead_ns = kMostGuessNs};
    }

    Expected periodic(int64_t now_ns) const {
        if (period_ns_ == 0 || first_ns_ == 0) return {};
        // Bounds the slack by a quarter of the period, so that a part of each period remains for others.
        const int64_t slack_ns = std::min(kSlackNs, period_ns_ / 4);
        const int64_t passed = std::max<int64_t>((now_ns - slack_ns - first_ns_) / period_ns_, 0);
        if (passed >= enough_times()) return {};  // so many bursts in a row stayed away
        const int64_t at_ns = first_ns_ + (passed + 1) * period_ns_;
        return {.at_ns = at_ns, .until_ns = at_ns + slack_ns, .most_lead_ns = std::min(kMostGuessNs, period_ns_ / 2)};
    }

    int64_t announced_ns_ = 0;
    int64_t period_ns_ = 0;
    int64_t burst_ns_ = 0;  // when the last burst of the period began
    int64_t first_ns_ = 0;  // when a burst first began for this announcement
};

}  // namespace xsched::sched
