// The program's instances. Any thread; vkDestroyInstance is called when no other call uses the instance.
#pragma once

#include "platform/vulkan/shim/entry_points.h"

namespace xsched::vulkan {

struct Instance {
    VkInstance instance = nullptr;
    PFN_vkGetInstanceProcAddr ask = nullptr;  // the next layer's
    uint32_t version = VK_API_VERSION_1_0;    // as the program uses it
    Below below;
};

// Returns the instance of an instance or physical device; nullptr: it is not one of ours.
Instance* instance_of(const void* dispatched);

VkResult create_instance_below(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                               VkInstance* made);
void destroy_instance_below(VkInstance instance, const VkAllocationCallbacks* allocator);

}  // namespace xsched::vulkan
