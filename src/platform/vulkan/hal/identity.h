// Which device a program has created, as a number that is equal in every process and on every platform.
#pragma once

#include "platform/vulkan/hal/hal_abi.h"

namespace xsched::vulkan {

// Returns XDeviceType in the upper half, and in the lower half the PCI address if the driver tells it, otherwise a hash
// of the device's UUID. All processors of one name share the same cores: there the hash is the name's.
XDevice device_identity(const VkPhysicalDeviceProperties& properties, const VkPhysicalDeviceIDProperties* id,
                        const VkPhysicalDevicePCIBusInfoPropertiesEXT* pci);

}  // namespace xsched::vulkan
