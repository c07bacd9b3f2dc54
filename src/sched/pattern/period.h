// When a unit's next burst is expected, from the rhythm of its bursts alone, which nobody has told: that of their
// begins (a camera), or that of the rests between them (a program that thinks as long as ever, whatever its bursts
// take). Only where the last ones came so evenly that waiting for the next costs little. One that comes at another time
// is left out; several in a row end the belief. A burst begins after a pause that is not short (pauses.h). Likewise
// when a burst under way will be over, where all were about equally long. Pure; one object per unit; not thread-safe;
// no allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "sched/pattern/expectation.h"

namespace xsched::sched {

// The last times between two events, as long as all of them were possible.
class EvenTimes {
public:
    static constexpr unsigned kMost = 8;
    static constexpr unsigned kEnough = 4;
    static constexpr unsigned kMostStrays = 2;  // so many in a row that do not fit change nothing
    static constexpr int64_t kMostSpreadNs = 500'000;  // between the shortest of them and the longest
    static constexpr int64_t kMostNs = 1'000'000'000;
    static constexpr int64_t kEarlyNs = 20'000;  // before the shortest, the next is expected

    explicit EvenTimes(int64_t least_ns) : least_possible_ns_(least_ns) {}

    void add(int64_t ns) {
        if (even() && !fits(ns) && strays_ < kMostStrays) {
            ++strays_;
            return;
        }
        if (!possible(ns) || !fits(ns)) forget();
        strays_ = 0;
        if (!possible(ns)) return;
        times_[next_] = ns;
        next_ = (next_ + 1) % kMost;
        count_ = std::min(count_ + 1, kMost);
        if (count_ >= kEnough) sum_up();
    }

    bool even() const { return count_ >= kEnough && spread_ns() <= kMostSpreadNs; }
    int64_t spread_ns() const { return most_ns_ - least_ns_; }
    // The next is expected from then on: as early as may be had for 1 part in 300 of the time itself. Who comes a
    // moment sooner waits for the rest of the switch.
    int64_t from_ns() const { return from_ns_; }
    int64_t most_ns() const { return most_ns_; }
    int64_t most_but_one_ns() const { return most_but_one_ns_; }
    int64_t middle_ns() const { return middle_ns_; }

private:
    static constexpr int64_t kPart = 300;
    static constexpr int64_t kStepNs = 10'000;

    void forget() { count_ = 0, next_ = 0; }
    bool possible(int64_t ns) const { return ns >= least_possible_ns_ && ns <= kMostNs; }
    // With it, they would still be even. Of few nothing is known yet.
    bool fits(int64_t ns) const {
        return count_ < kEnough || (possible(ns) && std::max(most_ns_, ns) - std::min(least_ns_, ns) <= kMostSpreadNs);
    }
    std::span<const int64_t> known() const { return std::span(times_).first(count_); }
    // How long the device would have been kept before the next, on average.
    int64_t kept_ns(int64_t from_ns) const {
        int64_t sum_ns = 0;
        for (const int64_t ns : known()) sum_ns += std::max<int64_t>(ns - from_ns, 0);
        return sum_ns / count_;
    }
    void sum_up() {
        const auto [least, most] = std::ranges::minmax_element(known());
        least_ns_ = *least;
        most_ns_ = *most;
        std::array<int64_t, kMost> sorted = times_;
        std::nth_element(sorted.begin(), sorted.begin() + count_ / 2, sorted.begin() + count_);
        middle_ns_ = sorted[count_ / 2];
        most_but_one_ns_ = least_ns_;
        for (const int64_t& ns : known())
            if (&ns != &*most) most_but_one_ns_ = std::max(most_but_one_ns_, ns);
        from_ns_ = least_ns_ - kEarlyNs;
        if (!even()) return;
        const int64_t may_keep_ns = std::max(least_ns_ / kPart, kEarlyNs);
        while (from_ns_ < most_ns_ && kept_ns(from_ns_) > may_keep_ns) from_ns_ += kStepNs;
    }

    int64_t least_possible_ns_;
    std::array<int64_t, kMost> times_{};
    int64_t least_ns_ = 0;
    int64_t most_ns_ = 0;
    int64_t most_but_one_ns_ = 0;
    int64_t middle_ns_ = 0;
    int64_t from_ns_ = 0;
    unsigned next_ = 0;
    unsigned count_ = 0;
    unsigned strays_ = 0;  // in a row
};

class Period {
public:
    static constexpr int64_t kLongPauseNs = 1'000'000;
    static constexpr int64_t kLateNs = 50'000;  // behind the latest
    // Shorter ones leave nothing for it.
    static constexpr int64_t kLeastPeriodNs = 4'000'000;
    static constexpr int64_t kLeastRestNs = 3'000'000;
    static constexpr int64_t kLeastLengthNs = 200'000;

    // The unit as seen now. Returns how long the burst before was, if another one has begun since; 0: not, or not
    // known.
    int64_t observe(int64_t ready_since_ns, int64_t idle_since_ns) {
        if (ready_since_ns <= seen_ns_) return 0;
        const int64_t before_ns = std::exchange(seen_ns_, ready_since_ns);
        // A pause that nobody saw begin is long if the one that was seen last, or the unit's work, began long before.
        const bool seen = idle_since_ns > before_ns;
        if (ready_since_ns - (seen ? idle_since_ns : before_ns) < (seen ? kLongPauseNs : kLeastRestNs)) return 0;
        const int64_t began_ns = std::exchange(began_ns_, ready_since_ns);
        note_begin(ready_since_ns, began_ns);
        if (idle_since_ns <= began_ns || began_ns == 0) return 0;
        rests_.add(ready_since_ns - idle_since_ns);
        note_length(idle_since_ns - began_ns);
        return idle_since_ns - began_ns;
    }
    // The next burst is expected, once it is idle.
    bool even() const { return periods_.even() || rests_.even(); }

    // Of a unit that is idle since then. Until the burst has come or is given up.
    Expected next(int64_t idle_since_ns, int64_t now_ns) const {
        const bool rests = rests_are_more_even();
        const EvenTimes& times = rests ? rests_ : periods_;
        if (!times.even()) return {};
        const int64_t from_ns = rests ? idle_since_ns : due_ns_;
        const Expected next{.at_ns = from_ns + times.from_ns(),
                            .until_ns = from_ns + times.most_ns() + kLateNs,
                            .most_lead_ns = times.from_ns() / 2};
        return now_ns < next.until_ns ? next : Expected{};  // late: it is given up, but not the rhythm
    }

    // Of a unit with a burst under way: when that is over, at the earliest and the latest.
    Expected end(int64_t now_ns) const {
        if (!lengths_.even()) return {};
        const Expected end{.at_ns = began_ns_ + lengths_.from_ns(),
                           .until_ns = began_ns_ + lengths_.most_ns() + kLateNs,
                           .most_lead_ns = lengths_.from_ns() / 2};
        return now_ns < end.until_ns ? end : Expected{};
    }
    int64_t began_ns() const { return began_ns_; }  // the last one
    // How long bursts are that are about equally long; 0: they are not.
    int64_t length_ns() const { return lengths_.even() ? lengths_.most_ns() : 0; }
    // The same without the longest, which may be the machine's. And of bursts that have been so until lately: while the
    // machine is slow they differ.
    int64_t usual_length_ns() const { return usual_ns_; }

private:
    static constexpr unsigned kMostUneven = 32;  // bursts in a row

    // The next one is expected a period behind what this returns. One that begins later than all before but one was
    // held up by the machine. A program that keeps to a clock begins the next one when it would have without; another
    // one that much later.
    int64_t due(int64_t ready_ns) {
        const int64_t interval_ns = ready_ns - due_ns_;
        const int64_t middle_ns = periods_.middle_ns();
        const bool late = periods_.even() && interval_ns > periods_.most_but_one_ns() + kLateNs &&
                          interval_ns < middle_ns + middle_ns / 2 && late_ones_ < EvenTimes::kMostStrays;
        late_ones_ = late ? late_ones_ + 1 : 0;
        by_clock_ns_ = late ? due_ns_ + middle_ns : 0;
        return late && keeps_to_clock_ ? by_clock_ns_ : ready_ns;
    }
    void note_begin(int64_t ready_ns, int64_t before_ns) {
        if (by_clock_ns_ != 0) {  // the one before was late
            const int64_t middle_ns = periods_.middle_ns();
            keeps_to_clock_ =
                std::abs(ready_ns - by_clock_ns_ - middle_ns) < std::abs(ready_ns - before_ns - middle_ns);
        }
        const int64_t due_ns = due(ready_ns);
        if (before_ns != 0) periods_.add(ready_ns - due_ns_);
        due_ns_ = due_ns;
    }
    void note_length(int64_t ns) {
        lengths_.add(ns);
        uneven_ = lengths_.even() ? 0 : uneven_ + 1;
        if (lengths_.even())
            usual_ns_ = lengths_.most_but_one_ns();
        else if (uneven_ > kMostUneven)
            usual_ns_ = 0;
    }
    bool rests_are_more_even() const {
        return rests_.even() && (!periods_.even() || rests_.spread_ns() < periods_.spread_ns());
    }

    EvenTimes periods_{kLeastPeriodNs};
    EvenTimes rests_{kLeastRestNs};
    EvenTimes lengths_{kLeastLengthNs};
    int64_t usual_ns_ = 0;  // of lengths_, when those were even
    unsigned uneven_ = 0;  // bursts since then
    int64_t began_ns_ = 0;
    int64_t due_ns_ = 0;  // when it should have begun
    unsigned late_ones_ = 0;  // in a row
    int64_t by_clock_ns_ = 0;  // when the last one would have begun; 0: it was not late
    bool keeps_to_clock_ = false;  // as far as is known
    int64_t seen_ns_ = 0;  // it became ready last
};

// The next burst of a unit that is foreseen (foreseen.h), and what was taken for it (DeviceHistory::foresights).
struct Foreseen {
    // To have the device by then: until a thread of the process has woken for it (measured: some 140 us), beside the
    // hardware's switch. Where that takes longer the burst waits for the rest of the switch.
    static constexpr int64_t kWakeNs = 120'000;

    int64_t at_ns = 0;
    int64_t until_ns = 0;
    int64_t apart_ns = 0;  // from the last one, about
    int64_t begun_ns = 0;  // since when something is done for it
    int64_t costs_from_ns = 0;  // from then on nobody has anything of the device; the switch is needed in any case
    int64_t taken_ns = 0;
    bool refused = false;
    bool too_dear = false;  // for that reason
    bool through = false;  // all of it, and not its begin alone
};

}  // namespace xsched::sched
