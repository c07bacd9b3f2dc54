// Turns a vendor's device number into a number that is the same in every process for one physical device. Any thread.
#pragma once

#include <cstddef>

#include "base/pci_address.h"
#include "vendor.h"

namespace xsched::stream {

inline constexpr size_t kDeviceNameBytes = 64;

// (platform/<p>/hal/identity.cpp)
XDevice device_identity(const Api& api, Device device);
// Writes the vendor's name of the device.
void device_name(const Api& api, Device device, char (&name)[kDeviceNameBytes]);

// Returns kDeviceTypeGPU in the upper half, and in the lower half the PCI address dddd:bb:dd.0 as OpenCL's
// device_identity has it: 16 bits of the domain, 8 of the bus, 5 of the device.
inline XDevice identity_at(uint32_t domain, uint32_t bus, uint32_t slot) {
    return static_cast<XDevice>(kDeviceTypeGPU) << 32 | base::pci_address(domain, bus, slot, 0);
}

}  // namespace xsched::stream
