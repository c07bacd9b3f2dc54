// When the work of a group that makes room counts as late: its gates were believed to be enough, and it stays on the
// device; or the burst for which it makes room lasts much longer than usual. Not thread-safe; no allocation.
#pragma once

#include <cstdint>

#include "sched/mechanism/present.h"
#include "sched/state/group.h"
#include "sched/state/pass.h"

namespace xsched::sched {

struct Late {
    int64_t from_ns = 0;  // 0: never, as the units are now
    bool at_gates = false;  // its gates are not enough
};

// A unit that synchronizes gets on beside it, but waits in each pause for whatever of it has the device. A gate may
// also stand before something for which the driver waits with the device in hand (docs/decisions/011): that shows in
// bursts that last much longer than usual. Turns end by themselves.
Late late_from(const Pass& pass, Group& group, const Present& present);

// Since when it makes room for somebody more urgent. It may be suspended since before that: for an equal's turn.
int64_t made_room_since_ns(const Pass& pass, const Group& group, const Present& present);

}  // namespace xsched::sched
