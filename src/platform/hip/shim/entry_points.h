// The HIP runtime's entry points by number, and how a call reaches us. Three ways:
//
//  - preloaded, or found under the runtime's name: a call of an exported hip* symbol is a generated trampoline that
//  jumps
//    through its slot; the first call of any of them opens the real runtime and points every slot at our hook, where
//    there is one, or straight at the runtime's function;
//  - programs that open the runtime and ask dlsym, or hipGetProcAddress, get the same hooks (dlsym.cpp,
//  proc_address.h);
//  - runtimes from ROCm 6.2 on hand their table of functions to rocprofiler_set_api_table, which is then ours
//    (dispatch_table.cpp): whatever way a call takes, it comes by there.
//
// A call that comes back to us from inside one of ours, because the runtime calls its own exported functions or because
// it passes the table behind a trampoline, goes straight on (hooks.cpp).
//
// Nothing happens at load. All functions may be called from any thread; slots change by single stores.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "platform/hip/hal/api.h"

namespace xsched::hip {

enum EntryPoint : uint32_t {
#define ENTRY_POINT(name) kEntry_##name,
#include "entry_points.inc"
    kEntryPointCount
};

// The runtime's own functions, for hooks: those it exports, or those that its table had.
extern std::atomic<void*> g_driver[kEntryPointCount];

// For the entry points that functions.def declares: Type, kName, and whether NULL means the thread's own stream.
template <EntryPoint kEntry>
struct Declared;
#define XHIP_FUNCTION(name, ...)                                                         \
    template <>                                                                          \
    struct Declared<kEntry_##name> {                                                     \
        using Type = declared::name;                                                     \
        static constexpr const char* kName = #name;                                      \
        static constexpr bool kPerThread = std::string_view(#name).ends_with("_spt");    \
    };
#define XHIP_FUNCTION_OF(result, name, ...) XHIP_FUNCTION(name, __VA_ARGS__)
#define XHIP_SPT(name, ...) XHIP_FUNCTION(name, __VA_ARGS__) XHIP_FUNCTION(name##_spt, __VA_ARGS__)
#include "platform/hip/hal/functions.def"

template <EntryPoint kEntry>
inline typename Declared<kEntry>::Type driver() {
    return reinterpret_cast<typename Declared<kEntry>::Type>(g_driver[kEntry].load(std::memory_order_relaxed));
}

const char* name_of(uint32_t entry);
// Our hook of an entry point; nullptr: forwarded. (hooks.cpp)
void* hook_of(uint32_t entry);
// Opens the runtime, if nobody has yet. False: there is none, or nothing is scheduled on it.
bool resolved();
// By name; kEntryPointCount: none that we know.
uint32_t entry_named(std::string_view name);

}  // namespace xsched::hip
