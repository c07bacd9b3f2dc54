#include "platform/hip/shim/proc_address.h"

#include <cstdio>

#include "platform/hip/shim/entry_points.h"

namespace xsched::hip {
namespace {

// `per_thread`: NULL is to mean the thread's own stream, so of two forms the one with that suffix was meant.
void replace(const char* symbol, void** address, bool per_thread) {
    if (symbol == nullptr || address == nullptr || *address == nullptr) return;
    char with_suffix[128];
    uint32_t entry = kEntryPointCount;
    if (per_thread && std::snprintf(with_suffix, sizeof with_suffix, "%s_spt", symbol) < int{sizeof with_suffix})
        entry = entry_named(with_suffix);
    if (entry == kEntryPointCount) entry = entry_named(symbol);
    if (entry == kEntryPointCount || g_driver[entry].load(std::memory_order_relaxed) == nullptr) return;
    if (void* hook = hook_of(entry)) *address = hook;
}

bool per_thread_of(uint64_t flags) { return (flags & hipEnablePerThreadDefaultStream) != 0; }

}  // namespace

hipError_t get_proc_address(const char* symbol, void** address, int version, uint64_t flags, int* status) {
    const hipError_t code = driver<kEntry_hipGetProcAddress>()(symbol, address, version, flags, status);
    if (code == hipSuccess) replace(symbol, address, per_thread_of(flags));
    return code;
}

hipError_t get_proc_address_spt(const char* symbol, void** address, int version, uint64_t flags, int* status) {
    const hipError_t code = driver<kEntry_hipGetProcAddress_spt>()(symbol, address, version, flags, status);
    if (code == hipSuccess) replace(symbol, address, true);
    return code;
}

hipError_t get_entry_point(const char* symbol, void** address, unsigned long long flags, int* status) {
    const hipError_t code = driver<kEntry_hipGetDriverEntryPoint>()(symbol, address, flags, status);
    if (code == hipSuccess) replace(symbol, address, per_thread_of(flags));
    return code;
}

hipError_t get_entry_point_spt(const char* symbol, void** address, unsigned long long flags, int* status) {
    const hipError_t code = driver<kEntry_hipGetDriverEntryPoint_spt>()(symbol, address, flags, status);
    if (code == hipSuccess) replace(symbol, address, true);
    return code;
}

}  // namespace xsched::hip
