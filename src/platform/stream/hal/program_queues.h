// Queues that the program made itself over streams (HipQueueCreate, CudaQueueCreate). The shim does not know those that
// no launch used. Any thread.
#pragma once

#include "vendor.h"
#include "xsched/types.h"

namespace xsched::stream {

void note_program_queue(HwQueueHandle hwq, Context context);
// Call before the driver ends the context: ends those of its queues that still are there, and their XQueues. The driver
// may crash over one of their streams afterwards (AMD's 7.2.4).
void end_program_queues(Context context);

}  // namespace xsched::stream
