#include "platform/stream/hal/identity.h"

#include <cstdio>

namespace xsched::stream {

XDevice device_identity(const Api& api, Device device) {
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned slot = static_cast<unsigned>(device);
    char text[64] = "";
    if (api.hipDeviceGetPCIBusId(text, sizeof text, device) == kSuccess)
        std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot);
    return identity_at(domain, bus, slot);
}

void device_name(const Api& api, Device device, char (&name)[kDeviceNameBytes]) {
    if (api.hipDeviceGetName == nullptr || api.hipDeviceGetName(name, kDeviceNameBytes, device) != kSuccess)
        name[0] = '\0';
    name[kDeviceNameBytes - 1] = '\0';
}

}  // namespace xsched::stream
