// How a unit has recently used the device: whether its think times are short, and how the short ones begin. A unit
// streams if it uses the device in one stretch: it has few short pauses. Pure; one object per unit; not thread-safe; no
// allocation.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "sched/facts/habits.h"
#include "sched/facts/times.h"
#include "sched/facts/unit.h"
#include "sched/pattern/burst_length.h"

namespace xsched::sched {

class Pauses {
public:
    static constexpr unsigned kEnough = 2;  // decision 014

    // The unit streams while it has fewer short pauses than this in a thousand bursts. In each the hardware lets a
    // victim in, which costs two switches. Keeping the victim off beforehand costs about one per burst
    // (docs/decisions/014). With one short pause per two bursts both cost the same.
    static constexpr int64_t kFew = 500;
    static constexpr int64_t kMostCounted = 4000;  // more make no difference to any choice
    // Weight of the last pause in the average; each pause before counts less. After three short pauses in a row the
    // unit no longer counts as streaming (few short pauses); after seven long ones it does again, whatever came before.
    static constexpr double kNewest = 1. / 6;

    // Takes the unit's state. Returns whether a burst, or a part of one, has begun behind a pause of last_ns().
    bool observe(const UnitState& unit);
    int64_t last_ns() const { return last_ns_; }
    bool last_was_within() const { return last_was_within_; }
    // begin_with counts the habits of the program's last run as if they had been seen; write stores what to keep of
    // this run (as in anticipation.h).
    void begin_with(const Habits& habits);
    void write(Habits& habits) const;
    // Returns whether to write the habits now: after this many pauses, then twice as many, and so on. The pause at a
    // program's very end is not like its usual ones.
    bool due() const { return due_; }
    // Returns whether too little is known of the unit: it is new, or it has changed. The last run's habits alone are
    // not enough.
    bool unsure() const { return missing() > 0; }
    // Returns how many pauses must be seen yet before enough is known.
    int64_t missing() const { return kEnough - std::min({kEnough, count_, seen_}); }
    // Returns whether the unit uses the device in one stretch, as far as known.
    bool streams() const;
    // Returns whether that is so if pauses between whole requests that had queued do not count.
    bool streams_or_queues() const;
    // Returns how many short pauses the unit has in a thousand bursts, kMostCounted at most. A new unit counts as
    // having one per burst.
    int64_t per_thousand() const;
    // Returns whether the unit's short pauses begin with a wait, in which it can keep the device, and not with an
    // idle device.
    bool begin_with_wait() const { return waits_first_; }
    // Returns how long the unit usually has work between two pauses; 0: unknown.
    int64_t stretch_ns() const { return stretch_.usual_ns(); }
    // Returns whether the unit's short pauses may begin with a wait: most of them did, or no short pause is known yet.
    // In most programs short pauses begin with a wait.
    bool may_begin_with_wait() const { return waits_first_ || (unsure() && short_ones_ == 0); }

private:
    static bool most_wait(uint32_t waited, uint32_t short_ones, bool before);
    struct Pause {
        bool is_short = false;
        bool is_within = false;
        bool is_queued = false;
        bool waited = false;
    };
    void remember(const Pause& pause);
    bool goes_on_in_parts(int64_t since_ready_ns) const;
    bool is_part(int64_t stretch_ns) const;
    bool is_whole(const UnitState& unit, int64_t stretch_ns) const;
    // Returns whether one of the last few pauses lay within a burst: each such pause that is seen stands for many that
    // are too short to see.
    bool was_within_lately() const { return std::countr_zero(within_) < static_cast<int>(enough_times()); }
    bool follows_unseen(int64_t since_ready_ns);
    double weighed(uint32_t pauses) const;
    int64_t per_thousand(double short_part) const;

    // Remembered pauses: the bits of the following numbers.
    static constexpr unsigned remembered() { return std::numeric_limits<uint32_t>::digits; }

    uint32_t short_ones_ = 0;  // a bit per pause, the last one lowest: it was short
    uint32_t within_ = 0;  // likewise: it was short and lay within a burst, not between two whole ones
    uint32_t queued_ = 0;  // likewise: it lay between a whole burst and a request that had queued
    uint32_t waited_ = 0;  // likewise: it was short and began with a wait
    uint32_t waits_ = 0;  // as last seen
    bool waits_first_ = false;
    unsigned count_ = 0;
    double short_part_ = 0;  // part of pauses that are short; later pauses weigh more
    int64_t seen_ready_ns_ = 0;
    BurstLength stretch_;
    int64_t last_ns_ = 0;
    bool last_was_within_ = false;
    uint32_t seen_ = 0;  // pauses seen in this run
    bool due_ = false;
};

}  // namespace xsched::sched
