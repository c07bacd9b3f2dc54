// The queues of one process on one device. The hardware takes them off together (a process's channels), so that the
// mechanism is chosen for all of them at once. Plain data; not thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "sched/mechanism.h"
#include "sched/trials.h"

namespace xsched::sched {

struct Group {
    uint64_t id = 0;
    uint32_t begin = 0;  // its units: device.members[begin .. end)
    uint32_t end = 0;
    bool dirty = true;   // to be chosen for anew
    int64_t suspended_ns = 0;               // since when all of it is suspended; 0: it is not
    Mechanism usual = Mechanism::kNone;     // without regard to announcements, and to what is running
    Mechanism mechanism = Mechanism::kNone;
    Interrupt interrupt = Interrupt::kNone;  // kept until one of its units runs again
    int64_t late_ns = 0;         // when its running work counts as late; 0: it does not
    int64_t urgent_busy_ns = 0;  // what the unit that it makes room for had used of the device when it was suspended
    uint64_t tried_by = 0;       // the unit whose burst is a trial; 0: it is none
    uint32_t tried_at = 0;       // its position then
    unsigned tried_way = 0;
    std::unique_ptr<Trials> trials;  // a short timeslice, or its gate alone; null: none was ever made
};

}  // namespace xsched::sched
