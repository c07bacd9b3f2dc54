// When a unit's next burst is expected, from the rhythm of its bursts alone, which nobody has told: that of their
// begins (a camera), or that of the rests between them (a program that thinks as long as ever, whatever its bursts
// take). Only where the last ones came so evenly that waiting for the next costs little. A single off-rhythm burst is
// ignored; several in a row end the belief. A burst begins after a pause that is not short (pauses.h). Likewise when a
// burst under way will be over, where all were about equally long. Pure; one object per unit; not thread-safe; no
// allocation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/sample.h"
#include "sched/facts/habits.h"
#include "sched/pattern/expectation.h"

namespace xsched::sched {

// The last times between two events, as long as all of them were possible.
class EvenTimes {
public:
    static constexpr unsigned kMost = 8;
    static constexpr unsigned kEnough = 4;
    static constexpr unsigned kMostStrays = 2;  // so many in a row that do not fit change nothing
    static constexpr int64_t kMostSpreadNs = 500'000;  // between the shortest of them and the longest (decision 009)
    static constexpr int64_t kMostNs = 1'000'000'000;  // decision 009
    static constexpr int64_t kEarlyNs = 20'000;  // before the shortest, the next is expected (judgement)

    explicit EvenTimes(int64_t least_ns) : least_possible_ns_(least_ns) {}

    void add(int64_t ns);

    bool even() const { return times_.count() >= kEnough && times_.alike(kMostSpreadNs); }
    int64_t spread_ns() const { return times_.most() - times_.least(); }
    // The next is expected from then on: as early as may be had for 1 part in 300 of the time itself. A burst that
    // comes a moment sooner waits for the rest of the switch.
    int64_t from_ns() const { return from_ns_; }
    int64_t most_ns() const { return times_.most(); }
    int64_t most_but_one_ns() const { return times_.most_but(1); }
    int64_t middle_ns() const { return times_.quantile(1, 2); }

private:
    static constexpr int64_t kPart = 300;
    static constexpr int64_t kStepNs = 10'000;  // judgement

    bool possible(int64_t ns) const { return ns >= least_possible_ns_ && ns <= kMostNs; }
    // With it, they would still be even. Of few nothing is known yet.
    bool fits(int64_t ns) const {
        return times_.count() < kEnough ||
               (possible(ns) && std::max(times_.most(), ns) - std::min(times_.least(), ns) <= kMostSpreadNs);
    }
    // How long the device would have been kept before the next, on average.
    int64_t kept_ns(int64_t from_ns) const;
    void expect();

    int64_t least_possible_ns_;
    base::Sample<int64_t, kMost> times_;
    int64_t from_ns_ = 0;
    unsigned strays_ = 0;  // in a row
};

class Period {
public:
    static constexpr int64_t kLateNs = 50'000;  // behind the latest (judgement)
    // Shorter ones leave nothing for it.
    static constexpr int64_t kLeastPeriodNs = 4'000'000;  // decision 009
    static constexpr int64_t kLeastRestNs = 3'000'000;  // decision 009
    static constexpr int64_t kLeastLengthNs = 200'000;  // decision 019

    // The unit as seen now. Returns how long the burst before was, if another one has begun since; 0: not, or not
    // known.
    int64_t observe(int64_t ready_since_ns, int64_t idle_since_ns);
    // The next burst is expected, once it is idle.
    bool even() const;
    // Of a unit that is idle since then. Until the burst has come or is given up.
    Expected next(int64_t idle_since_ns, int64_t now_ns) const;
    // Of a unit with a burst under way: when that is over, at the earliest and the latest.
    Expected end(int64_t now_ns) const;
    int64_t began_ns() const { return began_ns_; }  // the last one
    // How long bursts are that are about equally long; 0: they are not.
    int64_t length_ns() const { return lengths_.even() ? lengths_.most_ns() : 0; }
    // The same without the longest, which may be the machine's. And of bursts that have been so until lately: while the
    // machine is slow they differ.
    int64_t usual_length_ns() const { return usual_ns_; }

private:
    static constexpr unsigned kMostUneven = 32;  // bursts in a row

    int64_t due(int64_t ready_ns);
    void note_begin(int64_t ready_ns, int64_t before_ns);
    void note_length(int64_t ns);
    bool rests_are_more_even() const;

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

// The next burst of a unit that is foreseen (foreseen.h), and what was taken for it (Budget::foresight).
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
