// Level Zero's interface as far as XSched uses it. The declarations are XSched's own, so that no vendor's package is
// needed and one binary serves all loaders since version 1.0. Enumerations are int or uint32_t, and structures whose
// members are not used are void; neither changes how a call is made. If Debian's headers are installed, a test compares
// the declarations with them. Types and constants have the vendor's names.
#pragma once

#include <cstddef>
#include <cstdint>

struct _ze_context_handle_t;
struct _ze_driver_handle_t;
struct _ze_device_handle_t;
struct _ze_command_queue_handle_t;
struct _ze_command_list_handle_t;
struct _ze_event_pool_handle_t;
struct _ze_event_handle_t;
struct _ze_fence_handle_t;
struct _ze_image_handle_t;
struct _ze_kernel_handle_t;
struct _ze_graph_handle_t;
struct _ze_executable_graph_handle_t;

namespace xsched::levelzero {

using ze_result_t = uint32_t;
using ze_context_handle_t = ::_ze_context_handle_t*;
using ze_driver_handle_t = ::_ze_driver_handle_t*;
using ze_device_handle_t = ::_ze_device_handle_t*;
using ze_command_queue_handle_t = ::_ze_command_queue_handle_t*;
using ze_command_list_handle_t = ::_ze_command_list_handle_t*;
using ze_event_pool_handle_t = ::_ze_event_pool_handle_t*;
using ze_event_handle_t = ::_ze_event_handle_t*;
using ze_fence_handle_t = ::_ze_fence_handle_t*;
using ze_image_handle_t = ::_ze_image_handle_t*;
using ze_kernel_handle_t = ::_ze_kernel_handle_t*;
using ze_graph_handle_t = ::_ze_graph_handle_t*;
using ze_executable_graph_handle_t = ::_ze_executable_graph_handle_t*;

struct ze_group_count_t {
    uint32_t x, y, z;
};
struct ze_group_size_t {
    uint32_t x, y, z;
};
struct ze_context_desc_t {
    uint32_t stype;
    const void* pNext;
    uint32_t flags;
};
struct ze_command_queue_desc_t {
    uint32_t stype;
    const void* pNext;
    uint32_t ordinal;
    uint32_t index;
    uint32_t flags;
    uint32_t mode;
    uint32_t priority;
};
struct ze_command_list_desc_t {
    uint32_t stype;
    const void* pNext;
    uint32_t commandQueueGroupOrdinal;
    uint32_t flags;
};
struct ze_host_mem_alloc_desc_t {
    uint32_t stype;
    const void* pNext;
    uint32_t flags;
};
struct ze_event_pool_desc_t {
    uint32_t stype;
    const void* pNext;
    uint32_t flags;
    uint32_t count;
};
struct ze_event_desc_t {
    uint32_t stype;
    const void* pNext;
    uint32_t index;
    uint32_t signal;
    uint32_t wait;
};
struct ze_device_properties_t {
    uint32_t stype;
    void* pNext;
    uint32_t type;
    uint32_t vendorId;
    uint32_t deviceId;
    uint32_t flags;
    uint32_t subdeviceId;
    uint32_t coreClockRate;
    uint64_t maxMemAllocSize;
    uint32_t maxHardwareContexts;
    uint32_t maxCommandQueuePriority;
    uint32_t numThreadsPerEU;
    uint32_t physicalEUSimdWidth;
    uint32_t numEUsPerSubslice;
    uint32_t numSubslicesPerSlice;
    uint32_t numSlices;
    uint64_t timerResolution;
    uint32_t timestampValidBits;
    uint32_t kernelTimestampValidBits;
    uint8_t uuid[16];
    char name[256];
};
struct ze_driver_extension_properties_t {
    char name[256];
    uint32_t version;
};
struct ze_pci_ext_properties_t {
    uint32_t stype;
    void* pNext;
    uint32_t domain, bus, device, function;
    int32_t genVersion, width;
    int64_t maxBandwidth;
};

inline constexpr ze_result_t ZE_RESULT_SUCCESS = 0;
inline constexpr ze_result_t ZE_RESULT_NOT_READY = 1;
inline constexpr ze_result_t ZE_RESULT_ERROR_UNINITIALIZED = 0x78000001;
inline constexpr ze_result_t ZE_RESULT_ERROR_UNSUPPORTED_FEATURE = 0x78000003;
inline constexpr ze_result_t ZE_RESULT_QUERY_TRUE = 0x78000022;

inline constexpr uint32_t ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES = 0x3;
inline constexpr uint32_t ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC = 0xf;
inline constexpr uint32_t ZE_STRUCTURE_TYPE_EVENT_POOL_DESC = 0x10;
inline constexpr uint32_t ZE_STRUCTURE_TYPE_EVENT_DESC = 0x11;
inline constexpr uint32_t ZE_STRUCTURE_TYPE_CONTEXT_DESC = 0xd;
inline constexpr uint32_t ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC = 0xe;
inline constexpr uint32_t ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC = 0x16;
inline constexpr uint32_t ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES = 0x10008;
inline constexpr uint32_t ZE_DEVICE_TYPE_GPU = 1;
inline constexpr uint32_t ZE_DEVICE_TYPE_CPU = 2;
inline constexpr uint32_t ZE_DEVICE_TYPE_FPGA = 3;
inline constexpr uint32_t ZE_DEVICE_TYPE_MCA = 4;
inline constexpr uint32_t ZE_DEVICE_TYPE_VPU = 5;
inline constexpr uint32_t ZE_COMMAND_QUEUE_FLAG_IN_ORDER = 2;
inline constexpr uint32_t ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS = 2;
inline constexpr uint32_t ZE_COMMAND_QUEUE_PRIORITY_NORMAL = 0;
inline constexpr uint32_t ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW = 1;
inline constexpr uint32_t ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH = 2;
inline constexpr uint32_t ZE_EVENT_POOL_FLAG_HOST_VISIBLE = 1;

// declared::zeCommandListClose is the type of that function.
namespace declared {
#define FUNCTION(result, name, ...) using name = result (*)(__VA_ARGS__);
#include "functions.inc"
}  // namespace declared

// The functions that XSched itself calls (api/levelzero.json). A function that the loader lacks is null.
struct ZeApi {
#define NEEDED(name) declared::name name = nullptr;
#define OPTIONAL(name) declared::name name = nullptr;
#include "functions.inc"
};

// Returns false if a function is missing, without which nothing can be scheduled.
inline bool complete(const ZeApi& api) {
#define NEEDED(name) \
    if (api.name == nullptr) return false;
#include "functions.inc"
    return true;
}

}  // namespace xsched::levelzero
