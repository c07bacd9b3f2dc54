// device_identity on invented platforms: what makes two devices one, and what keeps them apart.
#include "platform/opencl/hal/identity.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace xsched::opencl {
namespace {

struct Device {
    std::string name, vendor;
    cl_device_type type = CL_DEVICE_TYPE_GPU;
    Device* parent = nullptr;
    bool has_pci = false;
    cl_device_pci_bus_info_khr pci{};
};

// One platform at a time.
std::string g_platform_name;
std::vector<Device*> g_devices;

cl_device_id id_of(Device& device) { return reinterpret_cast<cl_device_id>(&device); }

cl_int answer(const void* value, size_t bytes, size_t room, void* place) {
    if (room < bytes) return CL_INVALID_VALUE;
    std::memcpy(place, value, bytes);
    return CL_SUCCESS;
}

cl_int device_info(cl_device_id id, cl_device_info what, size_t room, void* place, size_t*) {
    const auto& device = *reinterpret_cast<Device*>(id);
    const auto platform = reinterpret_cast<cl_platform_id>(&g_platform_name);
    switch (what) {
        case CL_DEVICE_NAME: return answer(device.name.c_str(), device.name.size() + 1, room, place);
        case CL_DEVICE_VENDOR: return answer(device.vendor.c_str(), device.vendor.size() + 1, room, place);
        case CL_DEVICE_TYPE: return answer(&device.type, sizeof device.type, room, place);
        case CL_DEVICE_PARENT_DEVICE: return answer(&device.parent, sizeof device.parent, room, place);
        case CL_DEVICE_PLATFORM: return answer(&platform, sizeof platform, room, place);
        case CL_DEVICE_PCI_BUS_INFO_KHR:
            return device.has_pci ? answer(&device.pci, sizeof device.pci, room, place) : CL_INVALID_VALUE;
        default: return CL_INVALID_VALUE;
    }
}

cl_int platform_info(cl_platform_id, cl_platform_info, size_t room, void* place, size_t*) {
    return answer(g_platform_name.c_str(), g_platform_name.size() + 1, room, place);
}

cl_int device_ids(cl_platform_id, cl_device_type, cl_uint room, cl_device_id* ids, cl_uint* count) {
    for (cl_uint i = 0; i < room && i < g_devices.size(); ++i) ids[i] = id_of(*g_devices[i]);
    *count = static_cast<cl_uint>(g_devices.size());
    return CL_SUCCESS;
}

ClApi api() {
    ClApi made;
    made.clGetDeviceInfo = device_info;
    made.clGetPlatformInfo = platform_info;
    made.clGetDeviceIDs = device_ids;
    return made;
}

XDevice identity(Device& device) { return device_identity(api(), id_of(device)); }

class Identity : public ::testing::Test {
protected:
    void list(std::vector<Device*> devices) { g_devices = std::move(devices); }
    void SetUp() override { g_platform_name = "Invented"; }
};

TEST_F(Identity, ThePciAddressNamesADeviceOnEveryPlatform) {
    Device device{"One", "Maker"};
    device.has_pci = true;
    device.pci = {1, 0x3b, 2, 3};
    list({&device});
    const XDevice first = identity(device);
    EXPECT_EQ(first, XDevice{kDeviceTypeGPU} << 32 | 0x00013b13u);
    g_platform_name = "Another";
    device.name = "One, by another driver";
    EXPECT_EQ(identity(device), first);
}

TEST_F(Identity, PciAddressesPackAsPciWritesThem) {
    EXPECT_EQ(pci_address(0, 0, 0, 0), 0u);
    EXPECT_EQ(pci_address(0xffff, 0xff, 0x1f, 7), 0xffffffffu);
    EXPECT_EQ(pci_address(0, 1, 0, 0), 0x100u);
    EXPECT_EQ(pci_address(0, 0, 1, 0), 0x8u);
}

TEST_F(Identity, EqualDevicesAreToldApartByTheirPosition) {
    Device first{"Same", "Maker"}, other{"Different", "Maker"}, second{"Same", "Maker"};
    list({&first, &other, &second});
    EXPECT_NE(identity(first), identity(second));
    EXPECT_NE(identity(first), identity(other));
    const XDevice before = identity(second);
    list({&other, &first, &second});
    EXPECT_EQ(identity(second), before) << "a device of another name does not count";
}

TEST_F(Identity, CpuDevicesOfOneNameShareTheirCores) {
    Device first{"Cores", "Maker", CL_DEVICE_TYPE_CPU}, second{"Cores", "Maker", CL_DEVICE_TYPE_CPU};
    list({&first, &second});
    EXPECT_EQ(identity(first), identity(second));
    EXPECT_EQ(identity(first) >> 32, XDevice{kDeviceTypeCPU});
}

TEST_F(Identity, SubDevicesAreTheDeviceTheyArePartOf) {
    Device root{"Root", "Maker"}, part{"Part", "Maker"}, part_of_part{"Part of part", "Maker"};
    part.parent = &root;
    part_of_part.parent = &part;
    list({&root});
    EXPECT_EQ(identity(part), identity(root));
    EXPECT_EQ(identity(part_of_part), identity(root));
}

TEST_F(Identity, TheNumberIsTheSameInEveryProcessAndVersion) {
    Device device{"Name", "Vendor"};
    list({&device});
    // FNV-1a of "Invented\0Name\0Vendor\0" and position 0.
    EXPECT_EQ(identity(device), XDevice{kDeviceTypeGPU} << 32 | 0x664aa4bbu);
}

TEST_F(Identity, AParentLoopEnds) {
    Device one{"One", "Maker"}, two{"Two", "Maker"};
    one.parent = &two;
    two.parent = &one;
    list({&one});
    EXPECT_EQ(identity(one) >> 32, XDevice{kDeviceTypeGPU});
}

}  // namespace
}  // namespace xsched::opencl
