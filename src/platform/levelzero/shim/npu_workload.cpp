#include "platform/levelzero/shim/npu_workload.h"

#include <algorithm>
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

// The declarations of level_zero/ze_driver_npu_ext.h (version 1.0): another way to an extension's table.
constexpr const char* kDriverExtension = "ZE_extension_driver_npu";
struct Request {
    uint32_t stype;
    const void* pNext;
    const char* name;
    uint32_t version;
    void** table;
};
using GetExtension = ze_result_t (*)(ze_driver_handle_t, Request*);
struct DriverTable {
    GetExtension get_extension;
};

constexpr uint32_t kVersion1_0 = 1 << 16;
constexpr uint32_t kVersion1_2 = kVersion1_0 | 2;
// Bounds how many drivers and extensions are looked at (safety): Intel has two drivers, with some 20 extensions each.
constexpr uint32_t kMostDrivers = 16;
constexpr uint32_t kMostExtensions = 256;

constinit std::atomic<SetWorkloadType> g_set{nullptr};  // the driver's function
constinit std::atomic<bool> g_looked{false};
constinit std::atomic<bool> g_unseen{false};  // the program may set types unseen
constinit std::atomic<GetExtension> g_get{nullptr};  // the driver's function

// Returns the version of an extension that a driver has; 0: none up to `newest`, whose table's length is known here.
uint32_t version_in(ze_driver_handle_t driver, const char* extension, uint32_t newest) {
    const auto list = below<kEntry_zeDriverGetExtensionProperties>();
    uint32_t count = 0;
    if (list == nullptr || list(driver, &count, nullptr) != ZE_RESULT_SUCCESS || count > kMostExtensions) return 0;
    auto* all = new (std::nothrow) ze_driver_extension_properties_t[count];
    if (all == nullptr || list(driver, &count, all) != ZE_RESULT_SUCCESS) count = 0;
    uint32_t version = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (std::strncmp(all[i].name, extension, sizeof all[i].name) == 0) version = all[i].version;
    delete[] all;
    return version >= kVersion1_0 && version <= newest ? version : 0;
}

SetWorkloadType look_up() {
    const auto drivers = below<kEntry_zeDriverGet>();
    const auto address = below<kEntry_zeDriverGetExtensionFunctionAddress>();
    ze_driver_handle_t all[kMostDrivers];
    uint32_t count = kMostDrivers;
    if (drivers == nullptr || address == nullptr || drivers(&count, all) != ZE_RESULT_SUCCESS) return nullptr;
    for (uint32_t i = 0; i < count && i < kMostDrivers; ++i) {
        void* table = nullptr;
        if (version_in(all[i], kExtension, kVersion1_2) != 0 &&
            address(all[i], kExtension, &table) == ZE_RESULT_SUCCESS && table != nullptr)
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
    return g_unseen.load() ? nullptr : g_set.load();
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

// In the program's table of the driver's extension.
ze_result_t get_by_program(ze_driver_handle_t driver, Request* request) {
    const ze_result_t result = g_get.load()(driver, request);
    const int saved = errno;
    if (result == ZE_RESULT_SUCCESS && request != nullptr && request->table != nullptr)
        *request->table = extension_table(driver, request->name, request->version, *request->table);
    errno = saved;
    return result;
}

constinit DriverTable g_driver{get_by_program};

// Returns the program's table for the workload types; nullptr: the driver's has another length than the known ones.
void* queue_table(ze_driver_handle_t driver, uint32_t wanted, const ExtensionTable& theirs) {
    const uint32_t version = std::min(version_in(driver, kExtension, kVersion1_2), wanted);
    if (version < kVersion1_0 || theirs.set_workload_type == nullptr) return nullptr;
    g_set.store(theirs.set_workload_type);
    if (version < kVersion1_2) return &g_short;
    std::memcpy(g_long.since_1_2, theirs.since_1_2, sizeof g_long.since_1_2);
    return &g_long;
}

void* driver_table(ze_driver_handle_t driver, const DriverTable& theirs) {
    if (version_in(driver, kDriverExtension, kVersion1_0) == 0 || theirs.get_extension == nullptr) return nullptr;
    g_get.store(theirs.get_extension);
    return &g_driver;
}

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

void* extension_table(ze_driver_handle_t driver, const char* name, uint32_t wanted, void* table) {
    if (name == nullptr || table == nullptr) return table;
    const bool of_queues = std::strcmp(name, kExtension) == 0;
    if (!of_queues && std::strcmp(name, kDriverExtension) != 0) return table;
    void* ours = of_queues ? queue_table(driver, wanted, *static_cast<const ExtensionTable*>(table))
                           : driver_table(driver, *static_cast<const DriverTable*>(table));
    if (ours == nullptr) g_unseen.store(true);
    return ours != nullptr ? ours : table;
}

}  // namespace xsched::levelzero
