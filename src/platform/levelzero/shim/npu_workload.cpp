#include "platform/levelzero/shim/npu_workload.h"

#include <cerrno>
#include <cstring>
#include <new>

#include "base/log.h"
#include "platform/levelzero/shim/entry_points.h"
#include "platform/levelzero/shim/low_priority.h"

namespace xsched::levelzero {
namespace {

// The declarations of level_zero/ze_command_queue_npu_ext.h (version 1.2, intel/level-zero-npu-extensions).
constexpr const char* kExtension = "ZE_extension_command_queue_npu";
using SetWorkloadType = ze_result_t (*)(ze_command_queue_handle_t, uint32_t);
struct ExtensionTable {
    SetWorkloadType set_workload_type;
    void* since_1_2[2];
};
enum WorkloadType : uint32_t { kDefaultType, kBackground };

constexpr uint32_t kVersion1_0 = 1 << 16;
constexpr uint32_t kVersion1_2 = kVersion1_0 | 2;
// Bounds how many drivers and extensions are looked at (safety): Intel has two drivers, with some 20 extensions each.
constexpr uint32_t kMostDrivers = 16;
constexpr uint32_t kMostExtensions = 256;

constinit std::atomic<SetWorkloadType> g_set{nullptr};  // the driver's function
constinit std::atomic<bool> g_looked{false};

// Returns the version of the extension that a driver has; 0: none that is known here, with a table of known length.
uint32_t version_in(ze_driver_handle_t driver) {
    const auto list = below<kEntry_zeDriverGetExtensionProperties>();
    uint32_t count = 0;
    if (list == nullptr || list(driver, &count, nullptr) != ZE_RESULT_SUCCESS || count > kMostExtensions) return 0;
    auto* all = new (std::nothrow) ze_driver_extension_properties_t[count];
    if (all == nullptr || list(driver, &count, all) != ZE_RESULT_SUCCESS) count = 0;
    uint32_t version = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (std::strncmp(all[i].name, kExtension, sizeof all[i].name) == 0) version = all[i].version;
    delete[] all;
    return version >= kVersion1_0 && version <= kVersion1_2 ? version : 0;
}

SetWorkloadType look_up() {
    const auto drivers = below<kEntry_zeDriverGet>();
    const auto address = below<kEntry_zeDriverGetExtensionFunctionAddress>();
    ze_driver_handle_t all[kMostDrivers];
    uint32_t count = kMostDrivers;
    if (drivers == nullptr || address == nullptr || drivers(&count, all) != ZE_RESULT_SUCCESS) return nullptr;
    for (uint32_t i = 0; i < count && i < kMostDrivers; ++i) {
        void* table = nullptr;
        if (version_in(all[i]) != 0 && address(all[i], kExtension, &table) == ZE_RESULT_SUCCESS && table != nullptr)
            return static_cast<ExtensionTable*>(table)->set_workload_type;
    }
    return nullptr;
}

// Returns the driver's function; nullptr: it has none.
SetWorkloadType driver_function() {
    if (!g_looked.load(std::memory_order_acquire)) {
        if (const SetWorkloadType found = look_up()) g_set.store(found);
        g_looked.store(true, std::memory_order_release);
    }
    return g_set.load();
}

uint32_t type_for(const Queue& queue) {
    return is_low(xq_priority(queue.xqueue)) ? uint32_t{kBackground} : queue.wanted_type.load();
}

// In the program's table.
ze_result_t set_by_program(ze_command_queue_handle_t handle, uint32_t wanted) {
    const int saved = errno;
    Queue* queue = wanted <= kBackground ? scheduled_queue(handle) : nullptr;
    if (queue != nullptr) queue->wanted_type.store(wanted);
    const uint32_t type = queue != nullptr ? type_for(*queue) : wanted;
    errno = saved;
    const ze_result_t result = g_set.load()(handle, type);
    if (queue != nullptr && result == ZE_RESULT_SUCCESS) queue->given_type.store(type);
    return result;
}

constinit ExtensionTable g_short{set_by_program, {}};
constinit ExtensionTable g_long{set_by_program, {}};

}  // namespace

void follow_priority(Queue& queue, ze_command_queue_handle_t handle) {
    const uint32_t type = type_for(queue);
    if (queue.given_type.load() == type || queue.changes_type.exchange(true)) return;
    const int saved = errno;
    const SetWorkloadType set = driver_function();
    const ze_result_t result = set != nullptr ? set(handle, type) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    // A driver that refuses is not asked again until the priority changes.
    queue.given_type.store(type);
    queue.changes_type.store(false);
    XLOG_DEBG("the workload type of queue %p is to be %u: level zero error 0x%x", queue.handle, type, result);
    errno = saved;
}

void* extension_table(ze_driver_handle_t driver, const char* name, void* table) {
    if (name == nullptr || table == nullptr || std::strcmp(name, kExtension) != 0) return table;
    const uint32_t version = version_in(driver);
    const auto* theirs = static_cast<const ExtensionTable*>(table);
    if (version == 0 || theirs->set_workload_type == nullptr) return table;
    g_set.store(theirs->set_workload_type);
    if (version < kVersion1_2) return &g_short;
    std::memcpy(g_long.since_1_2, theirs->since_1_2, sizeof g_long.since_1_2);
    return &g_long;
}

}  // namespace xsched::levelzero
