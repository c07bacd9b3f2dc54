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
    static constexpr unsigned kRemembered = 32;
    static constexpr unsigned kEnough = 2;

    // The unit streams while short pauses are less than this part of all: in each the hardware lets a victim in, for
    // two switches. Keeping the victim off beforehand costs each burst about one (docs/decisions/014). So at one short
    // pause for every two long ones both cost the same.
    static constexpr double kFewOfThem = 1. / 3;
    // The last pause has this part of the weight, and each one before it so much less: three short ones in a row end
    // the belief that the unit streams, seven long ones begin it, whatever was before.
    static constexpr double kNewest = 1. / 6;
    // None of the last three lies within a burst: such a pause that is seen stands for many that are too short for it.
    static constexpr uint32_t kLastFew = 0b111;
    static constexpr unsigned kSettled = 8;  // from here on the habits are worth writing

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
    void weigh();

    uint32_t short_ones_ = 0;  // a bit per pause, the last one lowest
    uint32_t within_ = 0;  // likewise: the short ones behind a part of a burst, and not between two whole ones
    uint32_t waited_ = 0;  // likewise: the short ones that began with a wait
    uint32_t waits_ = 0;  // as last seen
    bool waits_first_ = false;
    unsigned count_ = 0;
    double short_part_ = 0;  // of all pauses, those that are short: the later a pause, the more it counts
    int64_t seen_ready_ns_ = 0;
    BurstLength stretch_;
    int64_t last_ns_ = 0;
    bool last_was_within_ = false;
    uint32_t seen_ = 0;  // pauses of this run
    bool due_ = false;
};

}  // namespace xsched::sched
