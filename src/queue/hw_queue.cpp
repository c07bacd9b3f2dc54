#include "queue/hw_queue.h"

#include "base/mutex.h"
#include "queue/handle_map.h"

namespace xsched::queue {
namespace {

base::Mutex g_map_mutex;
HandleMap<HwQueue>& hw_queues() {
    static auto* kMap = new HandleMap<HwQueue>;  // never destroyed: threads may outlive main
    return *kMap;
}

}  // namespace

bool find_hw_queue(HwQueueHandle handle, HwQueue* found) {
    base::Lock lock(g_map_mutex);
    const HwQueue* entry = hw_queues().find(handle);
    if (entry != nullptr) *found = *entry;
    return entry != nullptr;
}

bool forget_hw_queue(HwQueueHandle handle) {
    base::Lock lock(g_map_mutex);
    return hw_queues().erase(handle);
}

XResult create_hw_queue(HwQueueHandle* handle, const HwQueue& queue) {
    if (handle == nullptr || queue.ops == nullptr || queue.ops->abi != XQ_DEVICE_ABI) return kXSchedErrorInvalidValue;
    if (HwQueueHandle existing = 0;
        queue.vendor != 0 && find_hw_queue_of(queue.ops->platform, queue.vendor, &existing) == kXSchedSuccess)
        return kXSchedErrorNotAllowed;
    base::Lock lock(g_map_mutex);
    *handle = hw_queues().insert(queue);
    return *handle != 0 ? kXSchedSuccess : kXSchedErrorUnknown;
}

XResult find_hw_queue_of(XPlatform platform, uint64_t vendor, HwQueueHandle* handle) {
    if (handle == nullptr) return kXSchedErrorInvalidValue;
    base::Lock lock(g_map_mutex);
    *handle = hw_queues().find_if(
        [&](const HwQueue& entry) { return entry.vendor == vendor && entry.ops->platform == platform; });
    return *handle != 0 ? kXSchedSuccess : kXSchedErrorNotFound;
}

}  // namespace xsched::queue
