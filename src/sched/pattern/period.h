// When a unit's next burst is expected, from the rhythm of its bursts alone, without any announcement. The rhythm is
// that of their begins (a camera), or of the rests between them (a program that pauses equally long, whatever its
// bursts take). A burst is expected only if most of the last ones came so evenly that waiting for it costs little. A
// few off-rhythm bursts are ignored. A burst begins after a pause that is not short (pauses.h). If bursts are about
// equally long, their end is expected likewise. Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/sample.h"
#include "sched/facts/costs.h"
#include "sched/facts/habits.h"
#include "sched/facts/times.h"
#include "sched/pattern/expectation.h"

namespace xsched::sched {

// The last times between two events of one kind, such as the begins of bursts. They are even if most of them are
// alike.
class EvenTimes {
public:
    static constexpr unsigned kStrayPart = 4;  // one time of this many may be unlike the others
    // Most difference between the shortest and the longest of the times that count as alike (decision 009).
    static constexpr int64_t kMostSpreadNs = 500'000;
    static constexpr int64_t kEarlyNs = 20'000;  // how early before the shortest time (judgement)

    explicit EvenTimes(int64_t least_ns) : least_possible_ns_(least_ns) {}

    void add(int64_t ns);

    bool even() const { return even_; }
    // Return the spread, the longest, the second longest and the middle of the times that are alike. Call only if
    // even().
    int64_t spread_ns() const { return alike().back() - alike().front(); }
    int64_t most_ns() const { return alike().back(); }
    int64_t most_but_one_ns() const { return alike()[alike().size() - 2]; }
    int64_t middle_ns() const { return alike()[alike().size() / 2]; }
    // Returns the time after which the next event is expected: as early as possible if waiting costs at most 1/300 of
    // the time itself. A burst that comes slightly sooner waits for the rest of the switch.
    int64_t from_ns() const;
    // Returns whether at least one of the remembered times is about as long as `ns`. The remembered times need not be
    // even.
    bool some_like(int64_t ns) const;

private:
    static constexpr int64_t kPart = 300;  // decision 020

    // Returns how long the device would have been kept before the next event, on average.
    int64_t kept_ns(int64_t from_ns) const;
    std::span<const int64_t> alike() const { return times_.sorted().subspan(alike_from_, alike_count_); }

    int64_t least_possible_ns_;
    base::Sample<int64_t, kSampleTimes> times_;
    unsigned alike_from_ = 0;  // among the sorted ones
    unsigned alike_count_ = 0;
    bool even_ = false;
};

class Period {
public:
    // Shortest period or rest with an expectation: a shorter one leaves no time for preparations.
    static constexpr int64_t kLeastRestNs = 3'000'000;  // decision 009

    // Takes the unit's state as seen now. If another burst has begun since, returns the length of the burst before.
    // Otherwise, or if unknown, returns 0.
    int64_t observe(int64_t ready_since_ns, int64_t idle_since_ns);
    // Returns whether the rhythm is even, so that the next burst is expected once the unit is idle.
    bool even() const;
    // Returns the next burst of a unit that is idle since `idle_since_ns`, until it has come or is given up.
    Expected next(int64_t idle_since_ns, int64_t now_ns) const;
    // Returns the earliest and the latest end of the burst under way.
    Expected end(int64_t now_ns) const;
    int64_t began_ns() const { return began_ns_; }  // the last one
    // Returns the length of bursts that are about equally long; 0 if they are not.
    int64_t length_ns() const { return lengths_.even() ? lengths_.most_ns() : 0; }
    // Returns the usual length of alike bursts without the longest one, which the machine may have delayed. If bursts
    // were alike until recently and some still are, returns their former length: while the machine is slow, they
    // differ.
    int64_t usual_length_ns() const { return usual_ns_; }

private:
    void note_begin(int64_t ready_ns, int64_t before_ns);
    void note_length(int64_t ns);
    bool rests_are_more_even() const;

    EvenTimes periods_{kLeastRestNs};
    EvenTimes rests_{kLeastRestNs};
    EvenTimes lengths_{kLeastUseNs};
    int64_t usual_ns_ = 0;  // length kept from when lengths_ was last even
    int64_t began_ns_ = 0;
    int64_t due_ns_ = 0;  // when the last burst should have begun
    int64_t seen_ns_ = 0;  // when the unit last became ready
};

// The next foreseen burst of a unit (foreseen.h), and what was taken for it from Budget::foresight.
struct Foreseen {
    // How long before a burst to begin, besides the hardware's switch: until a thread of the process has woken for it
    // (measured: about 140 us). If waking takes longer, the burst waits for the rest of the switch.
    static constexpr int64_t wakes_ns() { return kWakeNs + EvenTimes::kEarlyNs; }
    // How long before a burst everything must begin, with the hardware's switch. From then on a burst counts as
    // imminent, whether it was foreseen or announced (decision 016).
    static int64_t prepares_ns(const Costs& costs) { return costs.switch_ns() + wakes_ns(); }

    int64_t at_ns = 0;
    int64_t until_ns = 0;
    int64_t most_lead_ns = 0;  // as of Expected
    int64_t apart_ns = 0;  // about how long after the last burst it is expected
    int64_t begun_ns = 0;  // since when preparations are under way
    int64_t costs_from_ns = 0;  // from when on no other unit has use of the device; the switch itself is needed in any
                                // case
    int64_t taken_ns = 0;
    bool refused = false;
    bool too_dear = false;  // for that reason
    bool through = false;  // the device is held through the whole burst, not only at its begin
};

}  // namespace xsched::sched
