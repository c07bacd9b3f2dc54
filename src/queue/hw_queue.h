// HwQueues: the vendor's queues as handles, each with its backend's functions. A registry by handle and by
// (platform, vendor handle); any thread; off the launch path.
#pragma once

#include "queue/queue_abi.h"

namespace xsched::queue {

struct HwQueue {
    const XqDeviceOps* ops = nullptr;
    void* impl = nullptr;
    uint64_t vendor = 0;
    XDevice device = 0;
};

// Copies what the handle stands for. False: no such handle.
bool find_hw_queue(HwQueueHandle handle, HwQueue* found);
// Forgets it without destroying the backend's object. False: no such handle.
bool forget_hw_queue(HwQueueHandle handle);

}  // namespace xsched::queue
