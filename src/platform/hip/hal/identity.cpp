#include "platform/hip/hal/identity.h"

#include <cstdio>

namespace xsched::hip {

XDevice device_identity(const HipApi& api, int device) {
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned slot = static_cast<unsigned>(device);
    char text[64] = "";
    if (api.hipDeviceGetPCIBusId(text, sizeof text, device) == hipSuccess)
        std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot);
    const uint32_t address = (domain & 0xffff) << 16 | (bus & 0xff) << 8 | (slot & 0x1f) << 3;
    return static_cast<XDevice>(kDeviceTypeGPU) << 32 | address;
}

}  // namespace xsched::hip
