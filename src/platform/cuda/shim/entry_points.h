// The CUDA driver's entry points by number, and how a call reaches us.
//
// Our library brings along one that bears the driver's name, so that whoever asks the dynamic linker for libcuda.so.1
// gets our functions (CMakeLists.txt). A call of an exported cu* symbol is a generated trampoline that jumps through its
// slot; the first call of any of them opens the real driver and points every slot at our hook, where there is one, or
// straight at the driver's function. Programs that ask cuGetProcAddress for functions get the same hooks
// (proc_address.h).
//
// Nothing happens at load. All functions may be called from any thread; slots change by single stores.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "platform/cuda/hal/api.h"

namespace xsched::cuda {

enum EntryPoint : uint32_t {
#define ENTRY_POINT(name) kEntry_##name,
#include "entry_points.inc"
    kEntryPointCount
};

// The driver's own functions, for hooks; final before any hook can be called.
extern std::atomic<void*> g_driver[kEntryPointCount];

// For the entry points that functions.def declares: Type, kName, and whether NULL means the thread's own stream.
template <EntryPoint kEntry>
struct Declared;
#define XCU_DECLARED(name)                                                                            \
    template <>                                                                                       \
    struct Declared<kEntry_##name> {                                                                  \
        using Type = declared::name;                                                                  \
        static constexpr const char* kName = #name;                                                   \
        static constexpr bool kPerThread = std::string_view(#name).ends_with("_ptsz") ||              \
                                           std::string_view(#name).ends_with("_ptds");                \
    };
#define XCU_FUNCTION(name, ...) XCU_DECLARED(name)
#define XCU_PTSZ(name, ...) XCU_DECLARED(name) XCU_DECLARED(name##_ptsz)
#define XCU_PTDS(name, ...) XCU_DECLARED(name) XCU_DECLARED(name##_ptds)
#include "platform/cuda/hal/functions.def"
#undef XCU_DECLARED

template <EntryPoint kEntry>
inline typename Declared<kEntry>::Type driver() {
    return reinterpret_cast<typename Declared<kEntry>::Type>(g_driver[kEntry].load(std::memory_order_relaxed));
}

const char* name_of(uint32_t entry);
// Our hook of an entry point; nullptr: forwarded. (hooks.cpp)
void* hook_of(uint32_t entry);

}  // namespace xsched::cuda
