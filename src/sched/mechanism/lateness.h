// Tells when a group (the queues of one process on one device, group.h) that makes room for a more urgent unit counts
// as late: its gates were expected to suffice but its work stays on the device, or the burst for which it makes room
// lasts much longer than usual. Not thread-safe; no allocation.
#pragma once

#include <cstdint>

#include "sched/mechanism/present.h"
#include "sched/state/group.h"
#include "sched/state/pass.h"

namespace xsched::sched {

struct Late {
    int64_t from_ns = 0;  // when it counts as late; 0: never, unless a unit changes
    bool at_gates = false;  // its gates do not suffice
};

// Returns when the group counts as late. An urgent unit that synchronizes gets on beside it, but in each pause waits
// for the part of it that is on the device. A gate may also stand before something for which the driver waits while it
// has the device (docs/decisions/011): that shows in bursts that last much longer than usual. Turns end by themselves.
Late late_from(const Pass& pass, Group& group, const Present& present);

// Returns since when the group makes room for a more urgent unit. It may have been suspended before, for an equal's
// turn.
int64_t made_room_since_ns(const Pass& pass, const Group& group, const Present& present);

}  // namespace xsched::sched
