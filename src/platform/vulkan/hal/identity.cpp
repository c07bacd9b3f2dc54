#include "platform/vulkan/hal/identity.h"

#include <cstring>

#include "base/fnv.h"
#include "base/pci_address.h"

namespace xsched::vulkan {
namespace {

XDeviceType type_of(VkPhysicalDeviceType type) {
    if (type == VK_PHYSICAL_DEVICE_TYPE_CPU) return kDeviceTypeCPU;
    return type == VK_PHYSICAL_DEVICE_TYPE_OTHER ? kDeviceTypeUnknown : kDeviceTypeGPU;
}

}  // namespace

XDevice device_identity(const VkPhysicalDeviceProperties& properties, const VkPhysicalDeviceIDProperties* id,
                        const VkPhysicalDevicePCIBusInfoPropertiesEXT* pci) {
    const XDeviceType type = type_of(properties.deviceType);
    uint32_t number = 0;
    if (pci != nullptr)
        number = base::pci_address(pci->pciDomain, pci->pciBus, pci->pciDevice, pci->pciFunction);
    else if (type == kDeviceTypeCPU || id == nullptr)
        number = base::fnv32(properties.deviceName, strnlen(properties.deviceName, sizeof properties.deviceName));
    else
        number = base::fnv32(id->deviceUUID, sizeof id->deviceUUID);
    return static_cast<XDevice>(type) << 32 | number;
}

}  // namespace xsched::vulkan
