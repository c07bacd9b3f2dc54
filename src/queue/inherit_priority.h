// Priority inheritance between the queues of the process (inheritance.h has that of one queue). Any thread.
#pragma once

#include "queue/xqueue.h"

namespace xsched::queue {

// Lets `producer` inherit the priority of `consumer`, whose next launch waits for it.
void inherit_priority(XQueue& consumer, XQueue& producer);
// Carries out xq_share_hardware (abi/queue_abi.h).
void share_hardware(XQueue& consumer, XQueue& producer);

}  // namespace xsched::queue
