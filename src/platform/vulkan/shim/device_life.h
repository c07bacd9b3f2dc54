// The begin and the end of the program's devices: what XSched adds to the program's request, and the end of its queues.
#pragma once

#include <vulkan/vulkan_core.h>

namespace xsched::vulkan {

VkResult create_device_below(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                             const VkAllocationCallbacks* allocator, VkDevice* made);
// Destroys the device and what XSched keeps for it. Vulkan demands that no other call uses the device then.
void destroy_device_below(VkDevice device, const VkAllocationCallbacks* allocator);

}  // namespace xsched::vulkan
