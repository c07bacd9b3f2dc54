// Priority inheritance: while commands of a more urgent queue of the process wait on the device for those of a less
// urgent queue, both queues count as equally urgent. That ends when the commands that the less urgent queue has now are
// complete. Pure functions of a queue's slot; guarded by that queue's lock.
#pragma once

#include <cstdint>

#include "ipc/layout.h"

namespace xsched::queue {

// Returns the slot's priority, or a higher one that it inherits now.
int32_t inherited_priority(const ipc::QueueSlot& slot);

// Lets the slot inherit `priority` for its commands up to `submitted`. Returns whether that changes anything.
bool inherit(ipc::QueueSlot& slot, uint64_t submitted, int32_t priority);

}  // namespace xsched::queue
