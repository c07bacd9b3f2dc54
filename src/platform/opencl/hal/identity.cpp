#include "platform/opencl/hal/identity.h"

#include <algorithm>
#include <cstring>

#include "base/fnv.h"

namespace xsched::opencl {
namespace {

constexpr size_t kTextBytes = 256;
constexpr cl_uint kMostDevices = 64;
constexpr int kDeepestPartition = 16;

struct Text {
    char bytes[kTextBytes] = {};
};

Text device_text(const ClApi& api, cl_device_id device, cl_device_info what) {
    Text text;
    if (api.clGetDeviceInfo(device, what, kTextBytes - 1, text.bytes, nullptr) != CL_SUCCESS) text.bytes[0] = '\0';
    return text;
}

// Adds the text with its end.
void add(base::Fnv32& hash, const Text& text) {
    hash.add(text.bytes, std::min(strnlen(text.bytes, kTextBytes) + 1, kTextBytes));
}

cl_device_id root_device(const ClApi& api, cl_device_id device) {
    for (int depth = 0; depth < kDeepestPartition; ++depth) {
        cl_device_id parent = nullptr;
        if (api.clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, nullptr) != CL_SUCCESS ||
            parent == nullptr)
            break;
        device = parent;
    }
    return device;
}

XDeviceType type_of(const ClApi& api, cl_device_id device) {
    cl_device_type type = 0;
    api.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    if (type & CL_DEVICE_TYPE_GPU) return kDeviceTypeGPU;
    if (type & CL_DEVICE_TYPE_CPU) return kDeviceTypeCPU;
    if (type & (CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM)) return kDeviceTypeASIC;
    return kDeviceTypeUnknown;
}

// Returns how many devices with the same name and vendor the platform lists before this one.
unsigned char position(const ClApi& api, cl_platform_id platform, cl_device_id device, const Text& name,
                       const Text& vendor) {
    cl_device_id devices[kMostDevices];
    cl_uint count = 0;
    if (api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, kMostDevices, devices, &count) != CL_SUCCESS) return 0;
    unsigned char before = 0;
    for (cl_uint i = 0; i < count && i < kMostDevices && devices[i] != device; ++i) {
        before += std::strcmp(device_text(api, devices[i], CL_DEVICE_NAME).bytes, name.bytes) == 0 &&
                  std::strcmp(device_text(api, devices[i], CL_DEVICE_VENDOR).bytes, vendor.bytes) == 0;
    }
    return before;
}

uint32_t name_hash(const ClApi& api, cl_device_id device, bool shared_cores) {
    cl_platform_id platform = nullptr;
    Text platform_name;
    api.clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr);
    if (platform == nullptr ||
        api.clGetPlatformInfo(platform, CL_PLATFORM_NAME, kTextBytes - 1, platform_name.bytes, nullptr) != CL_SUCCESS)
        platform_name.bytes[0] = '\0';
    const Text name = device_text(api, device, CL_DEVICE_NAME);
    const Text vendor = device_text(api, device, CL_DEVICE_VENDOR);
    base::Fnv32 hash;
    add(hash, platform_name);
    add(hash, name);
    add(hash, vendor);
    hash.add(shared_cores ? 0 : position(api, platform, device, name, vendor));
    return hash.value();
}

}  // namespace

XDevice device_identity(const ClApi& api, cl_device_id device) {
    device = root_device(api, device);
    const XDeviceType type = type_of(api, device);
    cl_device_pci_bus_info_khr pci{};
    const bool has_pci =
        api.clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof pci, &pci, nullptr) == CL_SUCCESS;
    const uint32_t id = has_pci ? pci_address(pci.pci_domain, pci.pci_bus, pci.pci_device, pci.pci_function)
                                : name_hash(api, device, type == kDeviceTypeCPU);
    return static_cast<XDevice>(type) << 32 | id;
}

void device_name(const ClApi& api, cl_device_id device, char (&name)[kDeviceNameBytes]) {
    const Text text = device_text(api, root_device(api, device), CL_DEVICE_NAME);
    const size_t length = strnlen(text.bytes, kDeviceNameBytes - 1);
    std::memcpy(name, text.bytes, length);
    name[length] = '\0';
}

}  // namespace xsched::opencl
