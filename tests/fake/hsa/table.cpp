// The table through which the exported functions lead, and which rocprofiler_set_api_table gets.
#include <dlfcn.h>

#include <cstdlib>

#include "fake/hsa/runtime.h"

namespace fake::hsa {
namespace {

constexpr uint32_t kPlaces = 80;

struct Table {
    ApiTableVersion version{2, sizeof(Table), 0, 0};
    void* functions[kPlaces] = {};
};
Table g_core, g_amd;
HsaApiTable g_table{{3, sizeof(HsaApiTable), 0, 0}, nullptr, nullptr};

template <typename Function>
void put(Table& table, uint32_t place, Function function) {
    table.functions[place] = reinterpret_cast<void*>(function);
}

[[gnu::constructor]] void fill() {
    put(g_core, kQueueCreatePlace, create_queue);
    put(g_core, kQueueDestroyPlace, destroy_queue);
    put(g_core, kSignalStoreRelaxedPlace, store_signal);
    put(g_core, kSignalStoreScreleasePlace, store_signal);
    put(g_amd, kQueueSetMaskPlace, set_queue_mask);
    put(g_amd, kQueueSetPriorityPlace2, set_queue_priority);
    g_table.core = reinterpret_cast<FunctionTable*>(&g_core);
    g_table.amd_ext = reinterpret_cast<FunctionTable*>(&g_amd);
}

template <typename Function>
Function get(Table& table, uint32_t place) {
    return reinterpret_cast<Function>(__atomic_load_n(&table.functions[place], __ATOMIC_ACQUIRE));
}

}  // namespace

void hand_out_table() {
    const char* wanted = std::getenv("FAKE_HSA_TABLE");
    if (wanted != nullptr && *wanted == '0') return;
    const auto set = reinterpret_cast<int (*)(const char*, uint64_t, uint64_t, void**, uint64_t)>(
        dlsym(RTLD_DEFAULT, "rocprofiler_set_api_table"));
    void* tables[] = {&g_table};
    if (set != nullptr && dlsym(RTLD_DEFAULT, "rocprofiler_configure") != nullptr) set("hsa", 11400, 0, tables, 1);
}

}  // namespace fake::hsa

using namespace fake::hsa;

extern "C" {

hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, uint32_t type, QueueError callback, void* data,
                              uint32_t private_bytes, uint32_t group_bytes, hsa_queue_t** queue) {
    return get<QueueCreate>(g_core, kQueueCreatePlace)(agent, size, type, callback, data, private_bytes, group_bytes,
                                                       queue);
}
hsa_status_t hsa_queue_destroy(hsa_queue_t* queue) { return get<QueueDestroy>(g_core, kQueueDestroyPlace)(queue); }
void hsa_signal_store_relaxed(hsa_signal_t signal, int64_t value) {
    get<SignalStore>(g_core, kSignalStoreRelaxedPlace)(signal, value);
}
void hsa_signal_store_screlease(hsa_signal_t signal, int64_t value) {
    get<SignalStore>(g_core, kSignalStoreScreleasePlace)(signal, value);
}
hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* queue, uint32_t priority) {
    return get<QueueSetPriority>(g_amd, kQueueSetPriorityPlace2)(queue, priority);
}
hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* queue, uint32_t bits, const uint32_t* mask) {
    return get<QueueSetMask>(g_amd, kQueueSetMaskPlace)(queue, bits, mask);
}
}
