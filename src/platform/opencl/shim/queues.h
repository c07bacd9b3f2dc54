// Which XQueue a cl_command_queue belongs to.
//
// An entry is made when we see the queue being created, or at its first use; its XQueue at the first use, so that a
// queue that is never used costs nothing. Looking one up takes no lock. The program's references are counted from the
// creation on: drivers keep references of their own, so only our count tells when the program has let go.
// Any thread may call any function.
#pragma once

#include "platform/opencl/hal/api.h"
#include "queue/abi/queue_abi.h"

namespace xsched::opencl {

// Returns the queue's XQueue, made if needed. nullptr: not scheduled (an on-device queue, XSCHED_AUTO_XQUEUE=OFF, no
// memory), so the call goes to the driver unchanged.
XqQueue* xqueue_of(cl_command_queue queue);
// Returns the XQueue but makes none; nullptr also for a queue that was never used.
XqQueue* known_xqueue_of(cl_command_queue queue);

// Returns whether more than one queue is scheduled: then one may wait for events of another.
bool several_xqueues();
// `consumer` gets this wait list: the queues whose work it waits for become as urgent. No effect on a bad list.
void producers_inherit(XqQueue* consumer, cl_uint count, const cl_event* events);

void queue_created(cl_command_queue queue, Priority vendor_priority);
void queue_retained(cl_command_queue queue);
// Call before the driver releases the queue. The last reference also ends the XQueue.
void queue_releasing(cl_command_queue queue);
// Forgets what was known about a queue that became out-of-order, or in-order.
void queue_changed(cl_command_queue queue);

}  // namespace xsched::opencl
