// The queues of one process on one device. The hardware takes them off together (a process's channels), so that the
// mechanism is chosen for all of them at once. Plain data; not thread-safe.
#pragma once

#include <cstdint>

#include "sched/facts/mechanism.h"
#include "sched/pattern/distrust.h"
#include "sched/pattern/short_timeslice.h"

namespace xsched::sched {

struct Group {
    uint64_t id = 0;
    uint32_t begin = 0;  // its units: device.members[begin .. end)
    uint32_t end = 0;
    bool dirty = true;   // to be chosen for anew
    int64_t suspended_ns = 0;               // since when all of it is suspended; 0: it is not
    int64_t chosen_ns = 0;                  // since when in this way
    Mechanism usual = Mechanism::kNone;     // without regard to announcements, and to what is running
    Mechanism as_known = Mechanism::kNone;  // the same, if all were known of its rivals
    Mechanism mechanism = Mechanism::kNone;
    Interrupt interrupt = Interrupt::kNone;  // kept until one of its units runs again
    static constexpr uint64_t kNotYet = UINT64_MAX;
    uint64_t late_completed = kNotYet;  // commands, when it should have stopped at its gates for long
    uint32_t late_changes = 0;  // how often that grew since
    bool on_its_way = false;     // Preemption::on_its_way
    bool let_back = false;       // nobody calls it off: the device is held for the burst for which it makes room
    uint32_t timeslice_us = 0;   // of its process, and since when it was told
    uint32_t long_timeslice_us = 0;  // of the most urgent one's, longer than the driver's own; 0: it needs none
    int64_t timeslice_since_ns = 0;
    ShortTimeslice in_short;
    int64_t late_ns = 0;         // when its running work may count as late, or as stalled; 0: it does not
    int64_t urgent_busy_ns = 0;  // what the unit that it makes room for had used of the device when it was suspended
    uint64_t urgent_id = 0;      // that unit; 0: none, or nobody asks any more
    uint32_t urgent_at = 0;      // its position then
    bool for_equal = false;      // that one is no more urgent: it is its turn
    Distrust distrust;           // of its gates
    int64_t unseen_until_ns = 0;  // until then it counts as working: a burst was long beside it while it seemed idle

    void tell_timeslice(uint32_t us, int64_t now_ns) {
        if (us != 0 && timeslice_us == 0) timeslice_since_ns = now_ns;
        timeslice_us = us;
    }
    // The call that sets one takes a moment.
    static constexpr int64_t kTimesliceCallNs = 1'000'000;  // decision 009
    bool has_short_timeslice(int64_t now_ns) const {
        return timeslice_us != 0 && now_ns - timeslice_since_ns >= kTimesliceCallNs;
    }
};

}  // namespace xsched::sched
