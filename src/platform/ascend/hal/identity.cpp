#include "platform/stream/hal/identity.h"

#include <cstdio>
#include <cstring>

namespace xsched::stream {

// Returns kDeviceTypeNPU in the upper half, and in the lower half the PCI address if the runtime tells it. Otherwise
// the lower half is the device's number on the machine, which is the same in every container.
XDevice device_identity(const Api& api, Device device) {
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned slot = 0;
    unsigned function = 0;
    char text[64] = "";
    auto number = static_cast<uint32_t>(device);
    if (api.aclrtDeviceGetPCIBusId != nullptr && api.aclrtDeviceGetPCIBusId(device, text, sizeof text) == kSuccess &&
        std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) >= 3) {
        number = base::pci_address(domain, bus, slot, function);
    } else if (uint32_t physical = 0;
               api.rtGetDevicePhyIdByIndex != nullptr && api.rtGetDevicePhyIdByIndex(number, &physical) == kSuccess) {
        number = physical;
    }
    return static_cast<XDevice>(kDeviceTypeNPU) << 32 | number;
}

void device_name(const Api& api, Device, char (&name)[kDeviceNameBytes]) {
    const char* chip = api.aclrtGetSocName != nullptr ? api.aclrtGetSocName() : nullptr;
    std::snprintf(name, sizeof name, "%s", chip != nullptr ? chip : "");
}

}  // namespace xsched::stream
