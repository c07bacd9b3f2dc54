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

// Returns the loader's place in a call's chain, where each layer finds the next one.
template <typename Link>
Link* link_in(const void* chain, VkStructureType type) {
    for (auto* part = static_cast<const VkBaseInStructure*>(chain); part != nullptr; part = part->pNext) {
        if (part->sType != type) continue;
        auto* link = reinterpret_cast<Link*>(const_cast<VkBaseInStructure*>(part));
        if (link->function == VK_LAYER_LINK_INFO) return link;
    }
    return nullptr;
}

VkResult create_instance_below(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                               VkInstance* made);
void destroy_instance_below(VkInstance instance, const VkAllocationCallbacks* allocator);

}  // namespace xsched::vulkan
