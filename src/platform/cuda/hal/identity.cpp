#include "platform/cuda/hal/identity.h"

namespace xsched::cuda {

XDevice device_identity(const CuApi& api, CUdevice device) {
    const auto ask = [&](int what, int otherwise) {
        int value = 0;
        return static_cast<uint32_t>(api.cuDeviceGetAttribute(&value, what, device) == CUDA_SUCCESS ? value : otherwise);
    };
    const uint32_t domain = ask(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0);
    const uint32_t bus = ask(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0);
    const uint32_t slot = ask(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device);
    const uint32_t address = (domain & 0xffff) << 16 | (bus & 0xff) << 8 | (slot & 0x1f) << 3;
    return static_cast<XDevice>(kDeviceTypeGPU) << 32 | address;
}

}  // namespace xsched::cuda
