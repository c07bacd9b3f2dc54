#include "platform/levelzero/hal/identity.h"

#include <cstring>

#include "base/fnv.h"
#include "base/pci_address.h"

namespace xsched::levelzero {
namespace {

XDeviceType type_of(uint32_t type) {
    switch (type) {
        case ZE_DEVICE_TYPE_GPU: return kDeviceTypeGPU;
        case ZE_DEVICE_TYPE_CPU: return kDeviceTypeCPU;
        case ZE_DEVICE_TYPE_FPGA: return kDeviceTypeFPGA;
        case ZE_DEVICE_TYPE_MCA: return kDeviceTypeMCA;
        case ZE_DEVICE_TYPE_VPU: return kDeviceTypeNPU;
        default: return kDeviceTypeUnknown;
    }
}

}  // namespace

Identity identify(const ZeApi& api, ze_device_handle_t device) {
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    api.zeDeviceGetProperties(device, &properties);
    Identity identity;
    const XDeviceType type = type_of(properties.type);
    identity.is_npu = type == kDeviceTypeNPU;
    identity.is_gpu = type == kDeviceTypeGPU;
    std::memcpy(identity.name, properties.name, strnlen(properties.name, sizeof identity.name - 1));
    ze_pci_ext_properties_t pci{};
    pci.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES;
    const bool has_pci = api.zeDevicePciGetPropertiesExt != nullptr &&
                         api.zeDevicePciGetPropertiesExt(device, &pci) == ZE_RESULT_SUCCESS &&
                         (pci.domain != 0 || pci.bus != 0 || pci.device != 0 || pci.function != 0);
    const uint32_t number = has_pci ? base::pci_address(pci.domain, pci.bus, pci.device, pci.function)
                                    : base::fnv32(properties.uuid, sizeof properties.uuid);
    identity.device = static_cast<XDevice>(type) << 32 | number;
    return identity;
}

}  // namespace xsched::levelzero
