// The program's devices. Any thread; vkDestroyDevice is called when no other call uses the device.
#pragma once

#include <atomic>

#include "base/pointer_map.h"
#include "platform/vulkan/hal/hal_abi.h"
#include "platform/vulkan/shim/entry_points.h"

namespace xsched::vulkan {

struct Queue;

struct Device {
    XvkDevice driver{};
    PFN_vkGetDeviceProcAddr ask = nullptr;  // the next layer's
    Below below;
    bool scheduled = false;  // it has timeline semaphores, and XSched what it needs
    std::atomic<Queue*> queues{nullptr};  // those that were used; a list that only grows
    std::atomic<int> swapchains{0};       // not destroyed yet
    base::PointerMap<Device> timelines;   // timeline semaphores, by their handles
};

// Returns the device of a device or queue; nullptr: it is not one of ours.
Device* device_of(const void* dispatched);
// Returns false if memory is exhausted.
bool add_device(VkDevice handle, Device* device);
void remove_device(VkDevice handle);

// Notes that the device has so many more swapchains, or less (below 0).
void note_swapchains(Device* device, int change);

template <typename Callee>
typename Callee::Type below(const Device& device) {
    return device.below.template get<Callee::kEntryPoint>();
}

}  // namespace xsched::vulkan
