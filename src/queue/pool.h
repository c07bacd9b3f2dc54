// The process's XQueue objects: at most ipc::kMostQueues, made when first needed, reused, never freed. An object's
// index is also the index of its slot in the shared memory. Any thread.
#pragma once

#include "queue/xqueue.h"

namespace xsched::queue {

// Returns an unused object; null if all are in use or there is no memory. A page of slots belongs to the first owner of
// words in it (XqGateOps), as long as there are other pages. The object is returned by XQueue::give_back.
XQueue* take_from_pool(uint64_t words_owner = 0);

// Notes that an owner has gone. Its pages are given to others once there are no new ones.
void words_owner_gone(uint64_t owner);

// Returns the queue; null if there is none at that index.
XSCHED_HOT XQueue* queue_at(uint32_t index);
XSCHED_HOT XQueue* queue_from_handle(XQueueHandle handle);
XQueue* queue_of_hwq(HwQueueHandle hwq);

// Reports that a command has completed.
XSCHED_HOT void complete_token(XqToken token);

// Returns one more than the highest index ever used.
uint32_t pool_size();

}  // namespace xsched::queue
