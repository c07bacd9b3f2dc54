#include "platform/vulkan/shim/device_life.h"

#include <vulkan/vk_layer.h>

#include <cerrno>
#include <new>

#include "base/log.h"
#include "base/options.h"
#include "platform/vulkan/shim/device_request.h"
#include "platform/vulkan/shim/devices.h"
#include "platform/vulkan/shim/instances.h"
#include "platform/vulkan/shim/queues.h"

namespace xsched::vulkan {
namespace {

// Creates a device by the next layer. Each call advances the chain to that layer again, since an attempt that failed
// leaves the chain at its end.
struct Next {
    VkLayerDeviceCreateInfo* link;
    VkLayerDeviceLink* layer;
    PFN_vkCreateDevice create;
    VkPhysicalDevice physical;
    const VkAllocationCallbacks* allocator;
    VkDevice* made;

    VkResult operator()(const VkDeviceCreateInfo& info) const {
        link->u.pLayerInfo = layer;
        return create(physical, &info, allocator, made);
    }
};

// Returns the priority that the queues of this process are to have in the driver. Which programs come before which is
// the scheduler's to say; the driver's priority is for what the scheduler does not see, such as a desktop.
VkQueueGlobalPriorityKHR wanted_priority() {
    const int64_t priority = base::options().priority;
    if (priority < PRIORITY_DEFAULT || base::options().background != 0) return VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR;
    return priority > PRIORITY_DEFAULT ? VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR : VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR;
}

// Creates the device with what XSched adds; where the driver refuses an addition, without it. `scheduled`: it has
// timeline semaphores.
VkResult create(const Next& next, const Instance& instance, const VkDeviceCreateInfo& info, bool* scheduled) {
    {
        DeviceRequest request(instance, next.physical, info);
        *scheduled = request.add_timelines();
        const VkQueueGlobalPriorityKHR priority = wanted_priority();
        if (priority != VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR && request.add_priority(priority)) {
            const VkResult result = next(request.info());
            if (result == VK_SUCCESS) return result;
            XLOG_DEBG("the driver refuses queues of priority %d (vulkan error %d)", priority, result);
            request.drop_priority();
        }
        if (*scheduled) {
            const VkResult result = next(request.info());
            if (result == VK_SUCCESS) return result;
        }
    }
    *scheduled = false;
    return next(info);
}

void identify(XvkDevice& device, const Instance& instance, VkPhysicalDevice physical) {
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
    VkPhysicalDeviceIDProperties id{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, &pci};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &id};
    instance.below.get<kEntry_vkGetPhysicalDeviceProperties2>()(physical, &properties);
    // A driver that does not know the PCI structure leaves it unchanged: the whole address is 0. No device other than
    // a processor has that address.
    const bool has_pci = pci.pciDomain != 0 || pci.pciBus != 0 || pci.pciDevice != 0 || pci.pciFunction != 0;
    xvk_identify(&device, &properties.properties, &id, has_pci ? &pci : nullptr);
}

Device* make_device(const Instance& instance, VkPhysicalDevice physical, VkDevice made, PFN_vkGetDeviceProcAddr ask) {
    auto* device = new (std::nothrow) Device;
    if (device == nullptr) return nullptr;
    device->driver.device = made;
    device->ask = ask;
    device->below.fill([&](const char* name) { return ask(made, name); }, instance.version < VK_API_VERSION_1_2);
#define NEEDED(name) device->driver.api.name = device->below.get<kEntry_##name>();
#include "functions.inc"
    if (instance.below.get<kEntry_vkGetPhysicalDeviceProperties2>() != nullptr)
        identify(device->driver, instance, physical);
    return device;
}

}  // namespace

VkResult create_device_below(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                             const VkAllocationCallbacks* allocator, VkDevice* made) {
    const Instance* instance = instance_of(physical);
    VkLayerDeviceCreateInfo* link =
        link_in<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (instance == nullptr || link == nullptr || link->u.pLayerInfo == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const VkLayerDeviceLink place = *link->u.pLayerInfo;
    const auto next =
        reinterpret_cast<PFN_vkCreateDevice>(place.pfnNextGetInstanceProcAddr(instance->instance, "vkCreateDevice"));
    if (next == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    bool has_timelines = false;
    const VkResult result =
        create({link, place.pNext, next, physical, allocator, made}, *instance, *info, &has_timelines);
    if (result != VK_SUCCESS) return result;
    Device* device = make_device(*instance, physical, *made, place.pfnNextGetDeviceProcAddr);
    if (device == nullptr || !add_device(*made, device)) {
        delete device;  // its functions are the next layer's own: the loader asks us, and we know of no device
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    device->scheduled = has_timelines && complete(device->driver.api);
    if (device->scheduled)
        xq_begin(false);
    else
        XLOG_WARN("%s has no timeline semaphores: what the program gives it is not scheduled", device->driver.name);
    return result;
}

void destroy_device_below(VkDevice made, const VkAllocationCallbacks* allocator) {
    if (made == nullptr) return;
    Device* device = device_of(made);
    if (device == nullptr) return;
    end_queues(*device);
    note_swapchains(device, -device->swapchains.load());
    remove_device(made);
    device->below.get<kEntry_vkDestroyDevice>()(made, allocator);
    device->timelines.destroy();
    delete device;
}

}  // namespace xsched::vulkan
