// How a unit has used the device lately: whether its think times are short, and how the short ones begin. Pure; one
// object per unit; not thread-safe; no allocation.
#pragma once

#include <cstdint>

#include "sched/unit.h"

namespace xsched::sched {

class Pauses {
public:
    static constexpr int64_t kShortNs = 1'000'000;  // a pause in which the hardware would let a victim in
    static constexpr unsigned kRemembered = 32;
    static constexpr unsigned kEnough = 2;

    static constexpr unsigned kSettled = 8;  // from here on another kind of pause is a surprise

    void observe(const UnitState& unit);
    // Too little is known of it: it is new, or does something else by now.
    bool unsure() const { return count_ < kEnough; }
    // It uses the device in one stretch, for all that is known.
    bool streams() const;
    // Its short pauses begin with a wait, in which it can keep the device, and not with nothing to do for the device.
    bool begin_with_wait() const { return waits_first_; }
    // None of them has been seen. Most programs' do.
    bool may_begin_with_wait() const { return waits_first_ || (unsure() && short_ones_ == 0); }

private:
    bool is_surprise(bool is_short) const;
    void begin_anew();

    uint32_t short_ones_ = 0;  // a bit per pause, the last one lowest
    uint32_t waited_ = 0;  // likewise: the short ones that began with a wait
    uint32_t waits_ = 0;  // as last seen
    bool waits_first_ = false;
    unsigned count_ = 0;
    unsigned long_run_ = 0;  // so many long ones in a row, now and at most
    unsigned longest_run_ = 0;
    int64_t seen_ready_ns_ = 0;
};

}  // namespace xsched::sched
