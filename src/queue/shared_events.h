// Tells the scheduler of events that several processes have (ipc/shared_events.h). Any thread.
#pragma once

#include <cstdint>

#include "ipc/layout.h"
#include "queue/abi/abi_types.h"

namespace xsched::queue {

struct SharedEventUse {
    uint64_t event;
    uint64_t until;  // as ipc::SharedUse
    XqSharedUse use;
};

// Reports that the queue with this slot (one of the header's) records an event that several processes share, or waits
// for it. Replaces the queue's last use of the event, or a use that is over. If the table is full, the use is left out,
// and the starvation limit has to suffice.
void tell_shared_use(ipc::Header& header, const ipc::QueueSlot& slot, const SharedEventUse& use);

}  // namespace xsched::queue
