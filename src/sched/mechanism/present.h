// The present state of a group (the queues of one process on one device, group.h), and the more urgent unit for which
// it would make room. Pure; not thread-safe.
#pragma once

#include <cstdint>

#include "sched/facts/victim.h"
#include "sched/state/pass.h"
#include "xsched/types.h"

namespace xsched::sched {

struct Present {
    Victim victim;
    bool suspended = true;  // all of it
    bool ready = false;  // some of it
    bool slowed = false;  // some of it
    bool has_turn = false;  // one of its units runs because it starved
    bool leads = false;  // one of its units is the most urgent on the device
    bool background = true;  // all of it
    uint32_t timeslice_us = 0;
    uint64_t completed = 0;  // commands
    int64_t progress_ns = 0;  // when one of its commands was last seen to complete
    int64_t longest_ns = 0;  // length of its longest recent commands
    int64_t stretch_ns = 0;  // usual time for which it uses the device without a pause
    bool queued = false;  // QueuedBursts::lately
    const UnitState* urgent = nullptr;  // the unit that it makes room for, and that unit's position
    uint32_t urgent_at = 0;
    bool urgent_is_equal = false;  // that unit is an equal whose turn it is

    bool interruptible() const { return victim.level >= kPreemptLevelInterrupt; }
    bool worked_lately(int64_t now_ns) const { return ready || is_lately(progress_ns, now_ns); }
};

Present look_at(const Pass& pass, const Group& group);

}  // namespace xsched::sched
