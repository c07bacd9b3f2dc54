// Which device a command queue runs on, as a number that is equal in every process for one physical device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/pci_address.h"
#include "platform/opencl/hal/api.h"
#include "xsched/types.h"

namespace xsched::opencl {

inline constexpr size_t kDeviceNameBytes = 64;

// Returns XDeviceType in the upper half, and in the lower half the PCI address if the driver tells it, otherwise a hash
// of platform, vendor and device name. Except for CPUs the position among equal devices is part of the hash; all CPU
// devices of one name share the same cores. Sub-devices count as the device that they are part of.
XDevice device_identity(const ClApi& api, cl_device_id device);
// Writes the vendor's name of the device.
void device_name(const ClApi& api, cl_device_id device, char (&name)[kDeviceNameBytes]);

using base::pci_address;

}  // namespace xsched::opencl
