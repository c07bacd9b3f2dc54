#include "queue/hw_queue.h"

#include "base/mutex.h"
#include "queue/handle_map.h"

namespace xsched::queue {
namespace {

base::Mutex g_mutex;
HandleMap<HwQueue>& map() {
    static auto* kMap = new HandleMap<HwQueue>;  // never destroyed: threads may outlive main
    return *kMap;
}

}  // namespace

bool find_hw_queue(HwQueueHandle handle, HwQueue* found) {
    base::Lock lock(g_mutex);
    const HwQueue* entry = map().find(handle);
    if (entry != nullptr) *found = *entry;
    return entry != nullptr;
}

bool forget_hw_queue(HwQueueHandle handle) {
    base::Lock lock(g_mutex);
    return map().erase(handle);
}

}  // namespace xsched::queue

using namespace xsched::queue;

XResult xq_hwq_create(HwQueueHandle* handle, const XqDeviceOps* ops, void* impl, uint64_t vendor, XDevice device) {
    if (handle == nullptr || ops == nullptr || ops->abi != XQ_DEVICE_ABI) return kXSchedErrorInvalidValue;
    if (HwQueueHandle existing = 0; vendor != 0 && xq_hwq_find(&existing, ops->platform, vendor) == kXSchedSuccess)
        return kXSchedErrorNotAllowed;
    xsched::base::Lock lock(g_mutex);
    *handle = map().insert(HwQueue{ops, impl, vendor, device});
    return *handle != 0 ? kXSchedSuccess : kXSchedErrorUnknown;
}

XResult xq_hwq_find(HwQueueHandle* handle, XPlatform platform, uint64_t vendor) {
    if (handle == nullptr) return kXSchedErrorInvalidValue;
    xsched::base::Lock lock(g_mutex);
    *handle = map().find_if(
        [&](const HwQueue& entry) { return entry.vendor == vendor && entry.ops->platform == platform; });
    return *handle != 0 ? kXSchedSuccess : kXSchedErrorNotFound;
}

void* xq_hwq_impl(HwQueueHandle handle) {
    HwQueue found;
    return find_hw_queue(handle, &found) ? found.impl : nullptr;
}
