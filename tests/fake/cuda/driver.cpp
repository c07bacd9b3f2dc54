// The driver and its devices.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "fake/cuda/context.h"

using namespace fake;

namespace {

constexpr int kVersion = 13000;

int attribute_of(const Device& device, CUdevice_attribute attribute) {
    switch (static_cast<int>(attribute)) {
        case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return 1024;
        case CU_DEVICE_ATTRIBUTE_WARP_SIZE: return 32;
        case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: return 8;
        case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: return 0x40 + device.ordinal;
        case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
        case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID: return 0;
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return 9;
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return 0;
        case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
        case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
        case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
        case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
        case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: return 1;
        case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS: return g_settings.no_concurrent_managed ? 0 : 1;
        case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: return g_settings.no_descriptors ? 0 : 1;
        case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1: return g_settings.no_memops ? 0 : 1;
        default: return 0;
    }
}

const char* name_of(CUresult error) {
    switch (error) {
        case CUDA_SUCCESS: return "CUDA_SUCCESS";
        case CUDA_ERROR_INVALID_VALUE: return "CUDA_ERROR_INVALID_VALUE";
        case CUDA_ERROR_NOT_SUPPORTED: return "CUDA_ERROR_NOT_SUPPORTED";
        case CUDA_ERROR_CONTEXT_IS_DESTROYED: return "CUDA_ERROR_CONTEXT_IS_DESTROYED";
        default: return "CUDA_ERROR_UNKNOWN";
    }
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuInit(unsigned int flags) {
    FAKE_ENTRY_EARLY();
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    g_initialized = true;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDriverGetVersion(int* version) {
    FAKE_ENTRY_EARLY();
    *version = kVersion;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorName(CUresult error, const char** name) {
    FAKE_ENTRY_EARLY();
    *name = name_of(error);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGetErrorString(CUresult error, const char** text) {
    FAKE_ENTRY_EARLY();
    *text = error == CUDA_SUCCESS ? "no error" : "an error of the fake driver";
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
    FAKE_ENTRY();
    if (device_at(ordinal) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetCount(int* count) {
    FAKE_ENTRY();
    *count = g_settings.devices;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetName(char* name, int bytes, CUdevice device) {
    FAKE_ENTRY();
    if (device_at(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    std::snprintf(name, static_cast<size_t>(std::max(bytes, 0)), "Fake CUDA device %d", device);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    FAKE_ENTRY();
    if (device_at(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *value = attribute_of(*device_at(device), attribute);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
    FAKE_ENTRY();
    if (device_at(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *bytes = size_t{8} << 30;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetPCIBusId(char* text, int bytes, CUdevice device) {
    FAKE_ENTRY();
    if (device_at(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    std::snprintf(text, static_cast<size_t>(std::max(bytes, 0)), "0000:%02x:00.0", 0x40 + device);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
    FAKE_ENTRY();
    if (device_at(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    std::memset(uuid, 0x11 + device, sizeof *uuid);
    return CUDA_SUCCESS;
}
}
