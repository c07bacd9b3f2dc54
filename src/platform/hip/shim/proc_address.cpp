#include "platform/hip/shim/proc_address.h"

#include <cstdio>

#include "base/new_functions.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/stream/shim/memory/evictable.h"

namespace xsched::hip {

using namespace stream;

void replace_address(const char* symbol, void** address, bool per_thread) {
    if (symbol == nullptr || address == nullptr || *address == nullptr) return;
    char with_suffix[128];
    uint32_t entry = kEntryPointCount;
    if (per_thread && std::snprintf(with_suffix, sizeof with_suffix, "%s_spt", symbol) < int{sizeof with_suffix})
        entry = entry_named(with_suffix);
    if (entry == kEntryPointCount) entry = entry_named(symbol);
    if (entry == kEntryPointCount) return base::tell_new_function(symbol);
    if (g_driver[entry].load(std::memory_order_relaxed) == nullptr) return;
    if (void* hook = hook_of(entry)) *address = hook;
}

}  // namespace xsched::hip

namespace xsched::stream {

void driver_noted() { memory::begin_evictable(); }

}  // namespace xsched::stream
