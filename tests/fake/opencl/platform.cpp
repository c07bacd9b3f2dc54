// The platform, its two devices and their sub-devices.
#include <ctime>
#include <numeric>

#include "fake/opencl/engine.h"
#include "fake/opencl/executor.h"
#include "fake/opencl/semaphore.h"
#include "fake/opencl/settings.h"
#include "fake/opencl/types.h"

namespace {
constexpr cl_uint kRootDevices = 2;
constexpr cl_uint kUnits = 4;
constexpr const char* kPlatformExtensions = "cl_khr_icd";
}  // namespace

_cl_device_id::_cl_device_id(cl_platform_id its_platform, cl_device_id its_parent, cl_uint its_index, cl_uint its_units)
    : Object(its_parent == nullptr ? fake::Kind::kRootDevice : fake::Kind::kDevice, fake::dispose_as<_cl_device_id>),
      platform(its_platform),
      parent(its_parent),
      index(its_index),
      units(its_units),
      executor(fake::start_executor()) {}

_cl_device_id::~_cl_device_id() { fake::stop_executor(executor); }

cl_platform_id fake::the_platform() {
    static cl_platform_id platform = [] {
        auto* it = new _cl_platform_id;  // never destroyed
        for (cl_uint i = 0; i < kRootDevices; ++i) it->devices.push_back(new _cl_device_id(it, nullptr, i, kUnits));
        return it;
    }();
    return platform;
}

using fake::give;
using fake::give_text;

extern "C" {

cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) {
    FAKE_ENTRY();
    if (platforms == nullptr && num_platforms == nullptr) return CL_INVALID_VALUE;
    if (platforms != nullptr && num_entries == 0) return CL_INVALID_VALUE;
    if (platforms != nullptr) platforms[0] = fake::the_platform();
    if (num_platforms != nullptr) *num_platforms = 1;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) {
    return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t room, void* value,
                                     size_t* size_ret) {
    FAKE_ENTRY();
    if (platform != nullptr && platform != fake::the_platform()) return CL_INVALID_PLATFORM;
    switch (name) {
        case CL_PLATFORM_PROFILE: return give_text("FULL_PROFILE", room, value, size_ret);
        case CL_PLATFORM_VERSION: return give_text("OpenCL 3.0 fake", room, value, size_ret);
        case CL_PLATFORM_NAME: return give_text("Fake OpenCL", room, value, size_ret);
        case CL_PLATFORM_VENDOR: return give_text("XSched tests", room, value, size_ret);
        case CL_PLATFORM_EXTENSIONS: return give_text(kPlatformExtensions, room, value, size_ret);
        case CL_PLATFORM_ICD_SUFFIX_KHR: return give_text("FAKE", room, value, size_ret);
        case CL_PLATFORM_NUMERIC_VERSION: return give(CL_MAKE_VERSION(3, 0, 0), room, value, size_ret);
        case CL_PLATFORM_HOST_TIMER_RESOLUTION: return give(cl_ulong{1}, room, value, size_ret);
        default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                                  cl_device_id* devices, cl_uint* num_devices) {
    FAKE_ENTRY();
    if (platform != nullptr && platform != fake::the_platform()) return CL_INVALID_PLATFORM;
    if (devices == nullptr && num_devices == nullptr) return CL_INVALID_VALUE;
    if (devices != nullptr && num_entries == 0) return CL_INVALID_VALUE;
    if ((type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)) == 0) return CL_DEVICE_NOT_FOUND;
    for (cl_uint i = 0; devices != nullptr && i < num_entries && i < kRootDevices; ++i) {
        devices[i] = fake::the_platform()->devices[i];
    }
    if (num_devices != nullptr) *num_devices = kRootDevices;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clCreateSubDevices(cl_device_id device, const cl_device_partition_property* properties,
                                      cl_uint num_devices, cl_device_id* out, cl_uint* num_devices_ret) {
    FAKE_ENTRY();
    if (!fake::good(device)) return CL_INVALID_DEVICE;
    if (properties == nullptr || properties[0] == 0) return CL_INVALID_VALUE;
    std::vector<cl_uint> parts;
    std::vector<cl_device_partition_property> list;
    if (properties[0] == CL_DEVICE_PARTITION_EQUALLY) {
        const auto each = static_cast<cl_uint>(properties[1]);
        if (each == 0 || each > device->units) return CL_DEVICE_PARTITION_FAILED;
        parts.assign(device->units / each, each);
        list.assign(properties, properties + 3);
    } else if (properties[0] == CL_DEVICE_PARTITION_BY_COUNTS) {
        size_t i = 1;
        for (; properties[i] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; ++i) {
            parts.push_back(static_cast<cl_uint>(properties[i]));
        }
        list.assign(properties, properties + i + 1);
        list.push_back(0);
    } else {
        return CL_INVALID_VALUE;
    }
    const cl_uint sum = std::accumulate(parts.begin(), parts.end(), 0U);
    if (parts.empty() || sum > device->units) return CL_INVALID_DEVICE_PARTITION_COUNT;
    if (num_devices_ret != nullptr) *num_devices_ret = static_cast<cl_uint>(parts.size());
    if (out == nullptr) return CL_SUCCESS;
    if (num_devices < parts.size()) return CL_INVALID_VALUE;
    for (size_t i = 0; i < parts.size(); ++i) {
        out[i] = new _cl_device_id(device->platform, device, static_cast<cl_uint>(i), parts[i]);
        out[i]->partition = list;
    }
    return CL_SUCCESS;
}

cl_int CL_API_CALL clRetainDevice(cl_device_id device) {
    FAKE_ENTRY();
    if (!fake::good(device)) return CL_INVALID_DEVICE;
    if (device->parent) fake::retain(device);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseDevice(cl_device_id device) {
    FAKE_ENTRY();
    if (!fake::good(device)) return CL_INVALID_DEVICE;
    if (device->parent) fake::release(device);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong* device_time, cl_ulong* host_time) {
    FAKE_ENTRY();
    if (!fake::good(device)) return CL_INVALID_DEVICE;
    if (device_time == nullptr || host_time == nullptr) return CL_INVALID_VALUE;
    *device_time = *host_time = fake::clock_ns();
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong* host_time) {
    FAKE_ENTRY();
    if (!fake::good(device)) return CL_INVALID_DEVICE;
    if (host_time == nullptr) return CL_INVALID_VALUE;
    *host_time = fake::clock_ns();
    return CL_SUCCESS;
}

// Functions of a future OpenCL: one that looks like work, and one that does not.
cl_int CL_API_CALL clEnqueueFutureThingFAKE(cl_command_queue queue) { return clFlush(queue); }
cl_int CL_API_CALL clFutureThingFAKE(cl_command_queue queue) { return clFlush(queue); }

void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
    if (name == nullptr) return nullptr;
    if (std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0) return reinterpret_cast<void*>(&clIcdGetPlatformIDsKHR);
    if (std::strcmp(name, "clCreateCommandQueueWithPropertiesKHR") == 0)
        return reinterpret_cast<void*>(&clCreateCommandQueueWithProperties);
    if (std::strcmp(name, "clEnqueueFutureThingFAKE") == 0) return reinterpret_cast<void*>(&clEnqueueFutureThingFAKE);
    return fake::semaphore_function(name);
}

void* CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id, const char* name) {
    return clGetExtensionFunctionAddress(name);
}
}
