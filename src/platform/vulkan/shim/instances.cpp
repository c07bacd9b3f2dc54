#include "platform/vulkan/shim/instances.h"

#include <vulkan/vk_layer.h>

#include <cerrno>

#include "base/log.h"
#include "base/pointer_map.h"
#include "platform/vulkan/shim/names.h"

namespace xsched::vulkan {
namespace {

constexpr const char* kQuestions = VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME;

constinit base::PointerMap<Instance> g_instances;

uint32_t version_of(const VkInstanceCreateInfo& info) {
    const VkApplicationInfo* application = info.pApplicationInfo;
    return application != nullptr && application->apiVersion != 0 ? application->apiVersion : VK_API_VERSION_1_0;
}

// Creates the instance with the questions that Vulkan 1.0 has as an extension, or, if that fails, as the program says.
VkResult create(PFN_vkCreateInstance next, const VkInstanceCreateInfo& info, const VkAllocationCallbacks* allocator,
                VkInstance* made) {
    if (version_of(info) >= VK_API_VERSION_1_1) return next(&info, allocator, made);
    Names extensions(info.ppEnabledExtensionNames, info.enabledExtensionCount);
    if (extensions.has(kQuestions) || !extensions.add(kQuestions)) return next(&info, allocator, made);
    VkInstanceCreateInfo more = info;
    more.ppEnabledExtensionNames = extensions.data();
    more.enabledExtensionCount = extensions.count();
    const VkResult result = next(&more, allocator, made);
    return result == VK_ERROR_EXTENSION_NOT_PRESENT ? next(&info, allocator, made) : result;
}

void note_instance(VkInstance made, PFN_vkGetInstanceProcAddr ask, uint32_t version) {
    auto* instance = new (std::nothrow) Instance;
    if (instance == nullptr) return;
    instance->instance = made;
    instance->ask = ask;
    instance->version = version;
    instance->below.fill([&](const char* name) { return ask(made, name); }, version < VK_API_VERSION_1_1);
    if (!g_instances.insert(key_of(made), instance)) delete instance;
}

}  // namespace

Instance* instance_of(const void* dispatched) { return g_instances.find(key_of(dispatched)); }

VkResult create_instance_below(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                               VkInstance* made) {
    VkLayerInstanceCreateInfo* link =
        link_in<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (link == nullptr || link->u.pLayerInfo == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr ask = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;  // as Vulkan's layer interface says: the next layer's own place
    const auto next = reinterpret_cast<PFN_vkCreateInstance>(ask(nullptr, "vkCreateInstance"));
    if (next == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const VkResult result = create(next, *info, allocator, made);
    if (result == VK_SUCCESS) note_instance(*made, ask, version_of(*info));
    return result;
}

void destroy_instance_below(VkInstance made, const VkAllocationCallbacks* allocator) {
    if (made == nullptr) return;
    Instance* instance = g_instances.erase(key_of(made));
    if (instance == nullptr) return;
    instance->below.get<kEntry_vkDestroyInstance>()(made, allocator);
    delete instance;
}

}  // namespace xsched::vulkan
