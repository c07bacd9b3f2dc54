#include "platform/vulkan/shim/entry_points.h"

namespace xsched::vulkan {
namespace {

const char* const kNames[kEntryPointCount] = {
#define ENTRY_POINT(name) #name,
#include "entry_points.inc"
};

}  // namespace

const char* Below::name_of(uint32_t entry) { return kNames[entry]; }

const char* Below::former_name_of(uint32_t entry) {
    switch (entry) {
        case kEntry_vkQueueSubmit2: return "vkQueueSubmit2KHR";
        case kEntry_vkWaitSemaphores: return "vkWaitSemaphoresKHR";
        case kEntry_vkSignalSemaphore: return "vkSignalSemaphoreKHR";
        case kEntry_vkGetSemaphoreCounterValue: return "vkGetSemaphoreCounterValueKHR";
        case kEntry_vkGetPhysicalDeviceFeatures2: return "vkGetPhysicalDeviceFeatures2KHR";
        case kEntry_vkGetPhysicalDeviceProperties2: return "vkGetPhysicalDeviceProperties2KHR";
        case kEntry_vkGetPhysicalDeviceQueueFamilyProperties2: return "vkGetPhysicalDeviceQueueFamilyProperties2KHR";
        default: return nullptr;
    }
}

}  // namespace xsched::vulkan
