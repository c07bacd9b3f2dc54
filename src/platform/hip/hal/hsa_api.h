// The HSA runtime (libhsa-runtime64) as far as its queues are observed: our own declarations of hsa.h, hsa_ext_amd.h,
// amd_hsa_queue.h and hsa_api_trace.h (ROCR-Runtime, releases 5.2 to 7.2), so that no ROCm is needed. Types bear the
// vendor's names.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xsched::hip::hsa {

using hsa_status_t = int;  // an enumeration
inline constexpr hsa_status_t HSA_STATUS_SUCCESS = 0;
inline constexpr hsa_status_t HSA_STATUS_ERROR_NOT_INITIALIZED = 0x100b;

struct hsa_agent_t {
    uint64_t handle;
};
struct hsa_signal_t {
    uint64_t handle;
};

struct hsa_queue_t {
    uint32_t type;
    uint32_t features;
    void* base_address;  // of the ring; KFD's CREATE_QUEUE has the same
    hsa_signal_t doorbell_signal;
    uint32_t size;
    uint32_t reserved1;
    uint64_t id;
};
static_assert(sizeof(hsa_queue_t) == 40);

// The structure behind every hsa_queue_t of AMD's runtime. Only the members that the packet processor and the host have
// shared since the first release; more follow.
struct amd_queue_t {
    hsa_queue_t hsa_queue;
    uint32_t caps[4];
    volatile uint64_t write_dispatch_id;  // packets that the host has reserved
    uint32_t reserved[16];
    volatile uint64_t read_dispatch_id;  // packets that the device has taken
};
static_assert(offsetof(amd_queue_t, write_dispatch_id) == 56 && offsetof(amd_queue_t, read_dispatch_id) == 128);

using QueueError = void (*)(hsa_status_t status, hsa_queue_t* source, void* data);
using QueueCreate = hsa_status_t (*)(hsa_agent_t agent, uint32_t size, uint32_t type, QueueError callback, void* data,
                                     uint32_t private_segment_size, uint32_t group_segment_size, hsa_queue_t** queue);
using QueueDestroy = hsa_status_t (*)(hsa_queue_t* queue);
using QueueSetPriority = hsa_status_t (*)(hsa_queue_t* queue, uint32_t priority);
using QueueSetMask = hsa_status_t (*)(const hsa_queue_t* queue, uint32_t bits, const uint32_t* mask);

using SignalStore = void (*)(hsa_signal_t signal, int64_t value);
using AgentGetInfo = hsa_status_t (*)(hsa_agent_t agent, int attribute, void* value);

// hsa_agent_info_t, hsa_amd_agent_info_t: 4 bytes each.
inline constexpr int HSA_AGENT_INFO_DEVICE = 17;
inline constexpr int HSA_AMD_AGENT_INFO_BDFID = 0xa006;
inline constexpr int HSA_AMD_AGENT_INFO_DOMAIN = 0xa00f;
inline constexpr uint32_t HSA_DEVICE_TYPE_GPU = 1;

// hsa_amd_queue_priority_t
inline constexpr uint32_t HSA_AMD_QUEUE_PRIORITY_LOW = 0;
inline constexpr uint32_t HSA_AMD_QUEUE_PRIORITY_NORMAL = 1;
inline constexpr uint32_t HSA_AMD_QUEUE_PRIORITY_HIGH = 2;

// --- tables of functions (hsa_api_trace.h)
struct ApiTableVersion {
    uint32_t major_id;
    uint32_t minor_id;  // the table's size in bytes
    uint32_t step_id;
    uint32_t reserved;
};
struct FunctionTable {
    ApiTableVersion version;
    void* functions[1];  // and more
};
struct HsaApiTable {
    ApiTableVersion version;
    FunctionTable* core;
    FunctionTable* amd_ext;
};

// Places in them.
inline constexpr uint32_t kMostCoreMajor = 2;
inline constexpr uint32_t kQueueCreatePlace = 7;
inline constexpr uint32_t kQueueDestroyPlace = 9;
inline constexpr uint32_t kSignalStoreRelaxedPlace = 41;
inline constexpr uint32_t kSignalStoreScreleasePlace = 42;
inline constexpr uint32_t kMostAmdMajor = 2;
inline constexpr uint32_t kQueueSetMaskPlace = 10;
inline constexpr uint32_t kQueueSetPriorityPlace1 = 37;  // where the major version is 1
inline constexpr uint32_t kQueueSetPriorityPlace2 = 39;  // 2: two functions were put in before it

}  // namespace xsched::hip::hsa
