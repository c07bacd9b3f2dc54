#include "fake/hip/table.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

namespace hip_layer {
namespace {

constexpr const char* kNames[] = {
#include "table_names.inc"
};
constexpr int kPlaces = sizeof kNames / sizeof kNames[0];
constexpr uint64_t kVersion = 7 * 10000 + 2 * 100;

struct Table {
    uint64_t bytes = sizeof(Table);
    void* entries[kPlaces] = {};
};
Table g_table;

void hand_out() {
    const auto set = reinterpret_cast<int (*)(const char*, uint64_t, uint64_t, void**, uint64_t)>(
        dlsym(RTLD_DEFAULT, "rocprofiler_set_api_table"));
    void* tables[] = {&g_table};
    if (set != nullptr && dlsym(RTLD_DEFAULT, "rocprofiler_configure") != nullptr) set("hip", kVersion, 0, tables, 1);
}

bool wanted() {
    static const bool it = [] {
        const char* value = std::getenv("FAKE_HIP_TABLE");
        return value != nullptr && *value == '1';
    }();
    return it;
}

}  // namespace

TableEntry::TableEntry(const char* name, void* implementation) : implementation_(implementation) {
    for (int i = 0; i < kPlaces && place_ < 0; ++i)
        if (std::strcmp(kNames[i], name) == 0) place_ = i;
    if (place_ >= 0) g_table.entries[place_] = implementation;
}

void* TableEntry::function() const {
    if (place_ < 0 || !wanted()) return implementation_;
    static std::once_flag once;
    std::call_once(once, hand_out);
    return __atomic_load_n(&g_table.entries[place_], __ATOMIC_ACQUIRE);
}

}  // namespace hip_layer
