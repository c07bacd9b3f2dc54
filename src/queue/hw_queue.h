// HwQueues: the vendor's queues as handles, each with its backend's functions. A registry by handle and by
// (platform, vendor handle); any thread; off the launch path.
#pragma once

#include "queue/device.h"

namespace xsched::queue {

struct HwQueue {
    const XqDeviceOps* ops = nullptr;
    void* impl = nullptr;
    uint64_t vendor = 0;
    XDevice device = 0;
};

// See xq_hwq_create and xq_hwq_find.
XResult create_hw_queue(HwQueueHandle* handle, const HwQueue& queue);
XResult find_hw_queue_of(XPlatform platform, uint64_t vendor, HwQueueHandle* handle);
// Copies the HwQueue of the handle. Returns false if there is none.
bool find_hw_queue(HwQueueHandle handle, HwQueue* found);
// Removes the handle but does not destroy the backend's object. Returns false if there is none.
bool forget_hw_queue(HwQueueHandle handle);

}  // namespace xsched::queue
