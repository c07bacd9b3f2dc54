// libhalvulkan's entries: the public one of xsched/vulkan/hal.h, and those for the shim (hal_abi.h).
#include "xsched/vulkan/hal.h"

#include <cstring>

#include "base/confinement.h"
#include "platform/vulkan/hal/hal_abi.h"
#include "platform/vulkan/hal/hwqueue.h"
#include "platform/vulkan/hal/identity.h"
#include "platform/vulkan/hal/interruption.h"
#include "queue/abi/same_build.h"

using xsched::vulkan::HwQueue;

namespace {

constexpr uint32_t kNvidia = 0x10de;  // the vendor's number in PCI

}  // namespace

extern "C" void xvk_identify(XvkDevice* device, const VkPhysicalDeviceProperties* properties,
                             const VkPhysicalDeviceIDProperties* id,
                             const VkPhysicalDevicePCIBusInfoPropertiesEXT* pci) {
    device->identity = xsched::vulkan::device_identity(*properties, id, pci);
    device->nvidia = properties->vendorID == kNvidia && pci != nullptr;
    const size_t length = strnlen(properties->deviceName, kXvkDeviceNameBytes - 1);
    std::memcpy(device->name, properties->deviceName, length);
    device->name[length] = '\0';
}

extern "C" XResult xvk_wrap(HwQueueHandle* handle, const XvkDevice* device, VkQueue queue) {
    xsched::base::ask_about_sandbox(xq_entered_sandbox);
    if (!xsched::queue::is_same_build("vulkan")) return kXSchedErrorNotSupported;
    HwQueue* hwq = HwQueue::create(*device, queue);
    if (hwq == nullptr) return kXSchedErrorHardware;
    xq_name_device(device->identity, device->name);
    const XResult result = xq_hwq_create(handle, xsched::vulkan::device_ops(*hwq), hwq,
                                         reinterpret_cast<uint64_t>(queue), device->identity);
    if (result != kXSchedSuccess) delete hwq;
    return result;
}

extern "C" void xvk_serve(HwQueueHandle hwq, XqQueue* xqueue) {
    static_cast<HwQueue*>(xq_hwq_impl(hwq))->serve(xqueue);
}

extern "C" XvkOperation xvk_wait_of(void* hold) {
    const auto* held = static_cast<xsched::vulkan::Hold*>(hold);
    return {held->gate->semaphore(), held->value};
}

extern "C" XvkOperation xvk_next_signal(void* impl) { return static_cast<HwQueue*>(impl)->next_signal(); }

extern "C" void xvk_launched(void* impl, uint64_t value, XqToken token) {
    static_cast<HwQueue*>(impl)->launched(value, token);
}

extern "C" void xvk_look(void* impl) { static_cast<HwQueue*>(impl)->look(); }

extern "C" void xvk_note_swapchains(const XvkDevice* device, int change) {
    xsched::vulkan::note_swapchains(*device, change);
}

extern "C" void xvk_end(void* impl) { static_cast<HwQueue*>(impl)->end(); }

extern "C" XResult VulkanQueueGet(HwQueueHandle* hwq, VkQueue queue) {
    if (hwq == nullptr || queue == nullptr) return kXSchedErrorInvalidValue;
    return xq_hwq_find(hwq, kPlatformVulkan, reinterpret_cast<uint64_t>(queue));
}
