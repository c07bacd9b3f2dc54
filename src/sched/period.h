// When a unit's next burst is expected, from the rhythm of its bursts alone, which nobody has told: that of their
// begins (a camera), or that of the rests between them (a program that thinks as long as ever, whatever its bursts
// take). Only where the last ones came so evenly that waiting for the next costs little; one that stays away ends the
// belief. A burst begins after a pause that is not short (pauses.h). Pure; one object per unit; not thread-safe; no
// allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sched/expectation.h"

namespace xsched::sched {

// The last times between two events, as long as all of them were possible.
class EvenTimes {
public:
    static constexpr unsigned kEnough = 8;
    static constexpr int64_t kMostSpreadNs = 500'000;  // between the shortest of them and the longest
    static constexpr int64_t kMostNs = 1'000'000'000;
    static constexpr int64_t kEarlyNs = 20'000;  // before the shortest, the next is expected

    explicit EvenTimes(int64_t least_ns) : least_possible_ns_(least_ns) {}

    void add(int64_t ns) {
        if (ns < least_possible_ns_ || ns > kMostNs) {
            forget();
            return;
        }
        times_[next_] = ns;
        next_ = (next_ + 1) % kEnough;
        count_ = std::min(count_ + 1, kEnough);
        if (count_ == kEnough) sum_up();
    }
    void forget() { count_ = 0, next_ = 0; }

    bool even() const { return count_ == kEnough && spread_ns() <= kMostSpreadNs; }
    int64_t spread_ns() const { return most_ns_ - least_ns_; }
    // The next is expected from then on: as early as may be had for 1 part in 100 of the time itself.
    int64_t from_ns() const { return from_ns_; }
    int64_t most_ns() const { return most_ns_; }

private:
    static constexpr int64_t kPart = 100;
    static constexpr int64_t kStepNs = 10'000;

    // How long the device would have been kept before the next, on average.
    int64_t kept_ns(int64_t from_ns) const {
        int64_t sum_ns = 0;
        for (const int64_t ns : times_) sum_ns += std::max<int64_t>(ns - from_ns, 0);
        return sum_ns / kEnough;
    }
    void sum_up() {
        const auto [least, most] = std::minmax_element(times_.begin(), times_.end());
        least_ns_ = *least;
        most_ns_ = *most;
        from_ns_ = least_ns_ - kEarlyNs;
        if (!even()) return;
        while (from_ns_ < most_ns_ && kept_ns(from_ns_) > least_ns_ / kPart) from_ns_ += kStepNs;
    }

    int64_t least_possible_ns_;
    std::array<int64_t, kEnough> times_{};
    int64_t least_ns_ = 0;
    int64_t most_ns_ = 0;
    int64_t from_ns_ = 0;
    unsigned next_ = 0;
    unsigned count_ = 0;
};

class Period {
public:
    static constexpr int64_t kLongPauseNs = 1'000'000;
    static constexpr int64_t kLateNs = 50'000;  // behind the latest
    // Shorter ones leave nothing for it.
    static constexpr int64_t kLeastPeriodNs = 4'000'000;
    static constexpr int64_t kLeastRestNs = 3'000'000;

    // The unit as seen now.
    void observe(int64_t ready_since_ns, int64_t idle_since_ns) {
        if (ready_since_ns <= began_ns_ || ready_since_ns - idle_since_ns < kLongPauseNs) return;
        if (began_ns_ != 0) periods_.add(ready_since_ns - began_ns_);
        if (idle_since_ns > began_ns_ && began_ns_ != 0) rests_.add(ready_since_ns - idle_since_ns);
        began_ns_ = ready_since_ns;
    }

    // Of a unit that is idle since then. Until the burst has come or is given up.
    Expected next(int64_t idle_since_ns, int64_t now_ns) {
        const bool rests = rests_are_more_even();
        const EvenTimes& times = rests ? rests_ : periods_;
        if (!times.even()) return {};
        const int64_t from_ns = rests ? idle_since_ns : began_ns_;
        const Expected next{.at_ns = from_ns + times.from_ns(),
                            .until_ns = from_ns + times.most_ns() + kLateNs,
                            .most_lead_ns = times.from_ns() / 2};
        if (now_ns < next.until_ns) return next;
        if (now_ns >= next.until_ns + EvenTimes::kMostSpreadNs) give_up();
        return {};  // it is late
    }

private:
    bool rests_are_more_even() const {
        return rests_.even() && (!periods_.even() || rests_.spread_ns() < periods_.spread_ns());
    }
    void give_up() {
        periods_.forget();
        rests_.forget();
    }

    EvenTimes periods_{kLeastPeriodNs};
    EvenTimes rests_{kLeastRestNs};
    int64_t began_ns_ = 0;
};

// The next burst of a unit that is foreseen (foreseen.h), and what was taken for it (DeviceHistory::foresights).
struct Foreseen {
    // To have the device by then: until the process's agent has woken, beside the hardware's switch. A machine with few
    // processors may take 70 us; then the burst waits for the rest of the switch.
    static constexpr int64_t kWakeNs = 120'000;

    int64_t at_ns = 0;
    int64_t until_ns = 0;
    int64_t begun_ns = 0;  // since when something is done for it
    int64_t costs_from_ns = 0;  // from then on nobody has anything of the device; the switch is needed in any case
    int64_t taken_ns = 0;
    bool refused = false;
};

}  // namespace xsched::sched
