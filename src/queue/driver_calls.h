// How many calls of this process, on queues of several priorities, are inside the driver (ipc::Header::driver_calls).
// Any thread.
#pragma once

#include "ipc/layout.h"
#include "queue/abi/abi_types.h"

namespace xsched::queue {

void note_driver_call(ipc::Header& header, XqDriverCall what);
// Forgets calls under way, in a forked child: their threads do not exist there.
void forget_driver_calls();

}  // namespace xsched::queue
