#include "platform/hip/shim/hsa_table.h"

#include <dlfcn.h>

#include <atomic>

#include "base/log.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/hip/hal/hsa_api.h"
#include "platform/hip/shim/direct_queues.h"
#include "platform/hip/shim/platform.h"

namespace xsched::hip {
namespace {

using namespace hsa;

// Returns the runtime's own function: from its table, otherwise from the library behind this one.
template <typename Function>
struct Next {
    std::atomic<Function> known{nullptr};
    const char* const name;

    Function get() {
        Function function = known.load(std::memory_order_acquire);
        if (function != nullptr) return function;
        void* found = stream::next_symbol(name);
        // If the program opened the runtime with RTLD_LOCAL, next_symbol cannot find it, so the loaded library is asked
        // directly.
        void* library = found == nullptr ? dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD) : nullptr;
        if (library != nullptr) {
            found = stream::hal_dlsym()(library, name);
            dlclose(library);
        }
        function = reinterpret_cast<Function>(found);
        if (function != nullptr) known.store(function, std::memory_order_release);
        return function;
    }
};

// The runtime's own functions behind our hooks. Programs reach the hooks by two routes: by HSA's table of functions, or
// by the functions that the library exports. Each route has its own object, since the exported functions call those of
// the table.
struct Route {
    Next<QueueCreate> create{.name = "hsa_queue_create"};
    Next<QueueDestroy> destroy{.name = "hsa_queue_destroy"};
    Next<QueueSetPriority> set_priority{.name = "hsa_amd_queue_set_priority"};
    Next<QueueSetMask> set_mask{.name = "hsa_amd_queue_cu_set_mask"};
    Next<SignalStore> store_relaxed{.name = "hsa_signal_store_relaxed"};
    Next<SignalStore> store_screlease{.name = "hsa_signal_store_screlease"};
};
constinit Route g_table;
constinit Route g_exported;
constinit Next<AgentGetInfo> g_agent_get_info{.name = "hsa_agent_get_info"};
constinit std::atomic<bool> g_table_sees_stores{false};  // what is exported leads there

template <Route& kRoute>
hsa_status_t create(hsa_agent_t agent, uint32_t size, uint32_t type, QueueError callback, void* data,
                    uint32_t private_bytes, uint32_t group_bytes, hsa_queue_t** queue) {
    const QueueCreate next = kRoute.create.get();
    if (next == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
    const hsa_status_t status = next(agent, size, type, callback, data, private_bytes, group_bytes, queue);
    if (status != HSA_STATUS_SUCCESS || queue == nullptr) return status;
    xhip_queue_made(*queue, agent.handle);
    direct_queue_made(**queue, agent, {g_agent_get_info.get(), kRoute.set_priority.get()});
    return status;
}

template <Route& kRoute>
hsa_status_t destroy(hsa_queue_t* queue) {
    const QueueDestroy next = kRoute.destroy.get();
    if (next == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
    if (queue != nullptr) direct_queue_going(*queue);
    xhip_queue_going(queue);  // before its memory does
    return next(queue);
}

template <Route& kRoute>
hsa_status_t set_priority(hsa_queue_t* queue, uint32_t priority) {
    const QueueSetPriority next = kRoute.set_priority.get();
    if (next == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
    const hsa_status_t status = next(queue, priority);
    if (status != HSA_STATUS_SUCCESS) return status;
    xhip_queue_priority(queue, priority);
    direct_queue_priority(*queue, priority);
    return status;
}

template <Route& kRoute>
hsa_status_t set_mask(const hsa_queue_t* queue, uint32_t bits, const uint32_t* mask) {
    const QueueSetMask next = kRoute.set_mask.get();
    if (next == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
    const hsa_status_t status = next(queue, bits, mask);
    if (status >= HSA_STATUS_SUCCESS) xhip_queue_masked(queue);  // also where only a part of the mask was taken
    return status;
}

// Hooks a store to a signal. `kStore`: the member of `kRoute` that has the runtime's own function for this kind of
// store.
template <Route& kRoute, Next<SignalStore> Route::* kStore>
void store(hsa_signal_t signal, int64_t value) {
    const SignalStore next = (kRoute.*kStore).get();
    if (next == nullptr) return;
    if (&kRoute == &g_exported && g_table_sees_stores.load(std::memory_order_acquire)) return next(signal, value);
    DirectStore direct(signal);
    next(signal, value);
    direct.made();
}

template <typename Function>
bool hook(FunctionTable& table, uint32_t place, Function ours, Next<Function>* next) {
    if (sizeof(ApiTableVersion) + (place + 1) * sizeof(void*) > table.version.minor_id) return false;
    void** entry = &table.functions[place];
    if (*entry == nullptr || *entry == reinterpret_cast<void*>(ours)) return *entry != nullptr;
    next->known.store(reinterpret_cast<Function>(*entry), std::memory_order_release);
    __atomic_store_n(entry, reinterpret_cast<void*>(ours), __ATOMIC_RELEASE);
    return true;
}

bool known_version(const FunctionTable* table, uint32_t most) {
    return table != nullptr && table->version.major_id >= 1 && table->version.major_id <= most;
}

}  // namespace

void hook_hsa_table(void* given) {
    const auto& table = *static_cast<const HsaApiTable*>(given);
    if (!known_version(table.core, kMostCoreMajor)) {
        XLOG_INFO("the HSA runtime's table has a version (%u) that is not known: its queues are not observed",
                  table.core != nullptr ? table.core->version.major_id : 0);
        return;
    }
    const bool sees = hook(*table.core, kQueueDestroyPlace, &destroy<g_table>, &g_table.destroy) &&
                      hook(*table.core, kQueueCreatePlace, &create<g_table>, &g_table.create);
    const bool sees_stores =
        hook(*table.core, kSignalStoreScreleasePlace, &store<g_table, &Route::store_screlease>,
             &g_table.store_screlease) &&
        hook(*table.core, kSignalStoreRelaxedPlace, &store<g_table, &Route::store_relaxed>, &g_table.store_relaxed);
    g_table_sees_stores.store(sees_stores, std::memory_order_release);
    if (known_version(table.amd_ext, kMostAmdMajor)) {
        const uint32_t priority =
            table.amd_ext->version.major_id == 1 ? kQueueSetPriorityPlace1 : kQueueSetPriorityPlace2;
        hook(*table.amd_ext, priority, &set_priority<g_table>, &g_table.set_priority);
        hook(*table.amd_ext, kQueueSetMaskPlace, &set_mask<g_table>, &g_table.set_mask);
    }
    XLOG_DEBG("the HSA runtime's queues are %s", sees ? "observed" : "not observed: its table is too short");
}

}  // namespace xsched::hip

extern "C" {
#pragma GCC visibility push(default)

using namespace xsched::hip;

hsa::hsa_status_t hsa_queue_create(hsa::hsa_agent_t agent, uint32_t size, uint32_t type, hsa::QueueError callback,
                                   void* data, uint32_t private_bytes, uint32_t group_bytes, hsa::hsa_queue_t** queue) {
    return create<g_exported>(agent, size, type, callback, data, private_bytes, group_bytes, queue);
}
hsa::hsa_status_t hsa_queue_destroy(hsa::hsa_queue_t* queue) { return destroy<g_exported>(queue); }
void hsa_signal_store_relaxed(hsa::hsa_signal_t signal, int64_t value) {
    store<g_exported, &Route::store_relaxed>(signal, value);
}
void hsa_signal_store_screlease(hsa::hsa_signal_t signal, int64_t value) {
    store<g_exported, &Route::store_screlease>(signal, value);
}
hsa::hsa_status_t hsa_amd_queue_set_priority(hsa::hsa_queue_t* queue, uint32_t priority) {
    return set_priority<g_exported>(queue, priority);
}
hsa::hsa_status_t hsa_amd_queue_cu_set_mask(const hsa::hsa_queue_t* queue, uint32_t bits, const uint32_t* mask) {
    return set_mask<g_exported>(queue, bits, mask);
}

#pragma GCC visibility pop
}
