#include "platform/stream/hal/identity.h"

namespace xsched::stream {

XDevice device_identity(const Api& api, Device device) {
    const auto ask = [&](int what, int otherwise) {
        int value = 0;
        return static_cast<uint32_t>(api.cuDeviceGetAttribute(&value, what, device) == kSuccess ? value : otherwise);
    };
    return identity_at(ask(cuda::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0), ask(cuda::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0),
                       ask(cuda::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device));
}

void device_name(const Api& api, Device device, char (&name)[kDeviceNameBytes]) {
    if (api.cuDeviceGetName == nullptr || api.cuDeviceGetName(name, kDeviceNameBytes, device) != kSuccess)
        name[0] = '\0';
    name[kDeviceNameBytes - 1] = '\0';
}

}  // namespace xsched::stream
