// The queues of one process on one device. The hardware takes them off together (a process's channels), so that the
// mechanism is chosen for all of them at once. Plain data; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sched/facts/costs.h"
#include "sched/facts/mechanism.h"
#include "sched/pattern/distrust.h"
#include "sched/pattern/short_timeslice.h"

namespace xsched::sched {

struct Group {
    uint64_t id = 0;
    uint32_t begin = 0;  // its units are device.members[begin .. end)
    uint32_t end = 0;
    bool dirty = true;   // its mechanism must be chosen again
    int64_t suspended_ns = 0;               // since when all of its units are suspended; 0: some are not
    int64_t chosen_ns = 0;                  // since when by the present mechanism
    Mechanism usual = Mechanism::kNone;     // mechanism apart from announcements and from what runs now
    Mechanism as_known = Mechanism::kNone;  // mechanism if everything were known of its rivals
    Mechanism mechanism = Mechanism::kNone;
    Interrupt interrupt = Interrupt::kNone;  // kept until one of its units runs again
    // The group's number of completed commands at the last look after the time by which it should have stopped at its
    // gates; none before that time.
    std::optional<uint64_t> late_completed;
    uint32_t late_changes = 0;  // how often that count grew since
    bool on_its_way = false;  // Preemption::on_its_way
    // True if the group's running work is left or put back on the device, in a short timeslice, although the group is
    // suspended: the more urgent unit's keep-alive holds the device for the whole burst.
    bool let_back = false;
    uint32_t timeslice_us = 0;  // timeslice of its process
    uint32_t long_timeslice_us = 0;  // timeslice of the most urgent process, longer than the driver's own; 0: it needs
                                     // none
    int64_t timeslice_from_ns = 0;  // from when on the hardware has it
    ShortTimeslice in_short;
    int64_t late_ns = 0;  // when its running work may count as late, or as stalled; 0: it may not
    int64_t urgent_busy_ns = 0;  // device time of the unit that it makes room for, as of its suspension
    uint64_t urgent_id = 0;  // id of that unit; 0: none, or no longer needed
    uint32_t urgent_at = 0;  // its position then
    bool for_equal = false;  // that unit is not more urgent: it has its turn
    Distrust distrust;  // of its gates
    int64_t unseen_until_ns = 0;  // until when it counts as working, because a burst was long beside it while it seemed
                                  // idle

    // Notes the timeslice that was ordered. A short one counts as in force after the time that the device's call
    // takes: setting a timeslice takes about as long as taking a process off (decision 009).
    void tell_timeslice(uint32_t us, const Costs& costs, int64_t now_ns) {
        if (us != 0 && timeslice_us == 0) timeslice_from_ns = now_ns + costs.off_ns();
        timeslice_us = us;
    }
    // Returns how long until the hardware has the group's short timeslice; INT64_MAX: the group gets none.
    int64_t timeslice_wait_ns(int64_t now_ns) const {
        return timeslice_us != 0 ? std::max<int64_t>(timeslice_from_ns - now_ns, 0) : INT64_MAX;
    }
    bool has_short_timeslice(int64_t now_ns) const { return timeslice_wait_ns(now_ns) == 0; }
};

}  // namespace xsched::sched
