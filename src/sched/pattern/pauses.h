// How a unit has used the device lately: whether its think times are short, and how the short ones begin. Pure; one
// object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/habits.h"
#include "sched/facts/unit.h"
#include "sched/pattern/burst_length.h"

namespace xsched::sched {

class Pauses {
public:
    // Decision 014.
    static constexpr int64_t kShortNs = 1'000'000;  // a pause in which the hardware would let a victim in
    static constexpr unsigned kRemembered = 32;
    static constexpr unsigned kEnough = 2;

    // So many long ones in a row, and what was before is over: a program loads and warms up with short ones, say, and
    // then serves one request at a time. If it was not, one burst pays for that; without this the next thirty did.
    static constexpr unsigned kLongRun = 6;
    // It streams while short ones are less than this part of all: in each the hardware lets a victim in, for two
    // switches, and keeping the victim off beforehand costs each burst about one (docs/decisions/014). So one short one
    // for every two long ones is where both cost the same.
    static constexpr unsigned kFewOfThem = 3;
    static constexpr uint32_t kInARow = 0b111;  // and the last three are not all short
    // Those within a burst are less than this part: for one that is seen there are many that are too short for it.
    static constexpr unsigned kFewWithin = 8;
    static constexpr unsigned kSettled = 8;  // from here on another kind of pause is a surprise

    // True: a burst, or a part of one, has begun behind a pause of last_ns().
    bool observe(const UnitState& unit);
    int64_t last_ns() const { return last_ns_; }
    bool last_was_within() const { return last_was_within_; }
    // As Anticipation's.
    void begin_with(const Habits& habits);
    void write(Habits& habits) const;
    // Whether it is time to write: after this many pauses, twice as many, and so on. A pause at a program's very end is
    // not like its usual ones.
    bool due() const { return due_; }
    // Too little is known of it: it is new, or does something else by now. Its last run does not tell all.
    bool unsure() const { return std::min(count_, seen_) < kEnough; }
    // It uses the device in one stretch, for all that is known.
    bool streams() const;
    // Its short pauses begin with a wait, in which it can keep the device, and not with nothing to do for the device.
    bool begin_with_wait() const { return waits_first_; }
    // How long it has work between two pauses, as a rule; 0: not known.
    int64_t stretch_ns() const { return stretch_.usual_ns(); }
    // None of them has been seen. Most programs' do.
    bool may_begin_with_wait() const { return waits_first_ || (unsure() && short_ones_ == 0); }

private:
    static bool most_wait(uint32_t waited, uint32_t short_ones, bool before);
    void remember(bool is_short, bool is_within, bool waited);
    bool goes_on_in_parts(int64_t since_ready_ns) const;
    bool is_part(int64_t stretch_ns) const;
    bool follows_unseen(int64_t since_ready_ns);
    bool is_surprise(bool is_short, bool is_within) const;
    void begin_anew();
    void forget_between();

    uint32_t short_ones_ = 0;  // a bit per pause, the last one lowest
    uint32_t within_ = 0;  // likewise: the short ones behind a part of a burst, and not between two whole ones
    uint32_t waited_ = 0;  // likewise: the short ones that began with a wait
    uint32_t waits_ = 0;  // as last seen
    bool waits_first_ = false;
    unsigned count_ = 0;
    unsigned long_run_ = 0;  // long ones in a row, now and at most
    unsigned longest_run_ = 0;
    int64_t seen_ready_ns_ = 0;
    BurstLength stretch_;
    int64_t last_ns_ = 0;
    bool last_was_within_ = false;
    uint32_t seen_ = 0;  // pauses of this run
    bool due_ = false;
};

}  // namespace xsched::sched
