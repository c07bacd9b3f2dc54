#include "platform/vulkan/hal/identity.h"

#include <cstring>

#include "base/pci_address.h"

namespace xsched::vulkan {
namespace {

uint32_t hash(const void* bytes, size_t count) {  // FNV-1a: the same in every process and on every run
    uint32_t value = 2166136261u;
    for (size_t i = 0; i < count; ++i) value = (value ^ static_cast<const unsigned char*>(bytes)[i]) * 16777619u;
    return value;
}

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
        number = hash(properties.deviceName, strnlen(properties.deviceName, sizeof properties.deviceName));
    else
        number = hash(id->deviceUUID, sizeof id->deviceUUID);
    return static_cast<XDevice>(type) << 32 | number;
}

}  // namespace xsched::vulkan
