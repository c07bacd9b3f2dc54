// XSched as a Vulkan layer: the loader reads the layer's file (cmake/vulkan_layer.json.in), which is in force where its
// variable is set, and asks here for what a layer answers.
#include <vulkan/vk_layer.h>

#include "platform/vulkan/shim/entry_points.h"

namespace {

constexpr uint32_t kLayerInterface = 2;  // the loader's, since 2016

}  // namespace

extern "C" [[gnu::visibility("default")]] VkResult vkNegotiateLoaderLayerInterfaceVersion(
    VkNegotiateLayerInterface* answer) {
    using namespace xsched::vulkan;
    if (answer == nullptr || answer->loaderLayerInterfaceVersion < kLayerInterface)
        return VK_ERROR_INITIALIZATION_FAILED;
    answer->loaderLayerInterfaceVersion = kLayerInterface;
    answer->pfnGetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(hook_named("vkGetInstanceProcAddr"));
    answer->pfnGetDeviceProcAddr = reinterpret_cast<PFN_vkGetDeviceProcAddr>(hook_named("vkGetDeviceProcAddr"));
    answer->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
