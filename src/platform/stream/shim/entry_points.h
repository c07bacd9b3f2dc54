// The vendor's entry points by number, and how calls reach this library. (OpenCL has its own file, since its loader
// supports layers.)
//
// Preloaded, or found under the name of the vendor's library, we are what programs call: an exported symbol is a
// generated trampoline that jumps through its slot. The first call of any of them opens the vendor's library. It points
// every slot at our hook where there is one, else straight at the vendor's function. Programs that ask for functions by
// name get the same hooks (platform/<p>/shim/proc_address.h).
//
// Nothing happens at load. All functions may be called from any thread; slots change by single stores.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "vendor.h"

namespace xsched::stream {

enum EntryPoint : uint32_t {
#define ENTRY_POINT(name) kEntry_##name,
#include "entry_points.inc"
    kEntryPointCount
};

// The vendor's own functions, for hooks. Final before any hook can be called, except if the platform hooks the
// library's own table (platform/hip/shim/dispatch_table.cpp).
extern std::atomic<void*> g_driver[kEntryPointCount];

// For entry points whose types are known (api/<p>.json): Type, kName, and whether NULL means the thread's own stream.
template <EntryPoint kEntry>
struct Declared;
#define DECLARED(name, per_thread)                     \
    template <>                                        \
    struct Declared<kEntry_##name> {                   \
        using Type = declared::name;                   \
        static constexpr const char* kName = #name;    \
        static constexpr bool kPerThread = per_thread; \
    };
#define FUNCTION(result, name, ...) DECLARED(name, false)
#define PER_THREAD(result, name, ...) DECLARED(name, true)
#include "functions.inc"
#undef DECLARED

// Properties of a function that its types do not tell: tools/codegen/table.py says what each means.
enum class CopyBytes : uint8_t { kNone, kLast, kFirst, kRows, kUntold };
struct Traits {
    bool cooperative = false;
    bool graph = false;
    bool waits = false;
    bool question = false;
    bool stands = false;
    bool peeks = false;
    CopyBytes copy = CopyBytes::kNone;
};
#include "traits.inc"

template <EntryPoint kEntry>
inline constexpr bool kIsCopy = kTraits<kEntry>.copy != CopyBytes::kNone;

template <EntryPoint kEntry>
inline typename Declared<kEntry>::Type driver() {
    return reinterpret_cast<typename Declared<kEntry>::Type>(g_driver[kEntry].load(std::memory_order_relaxed));
}

const char* name_of(uint32_t entry);
// Returns the entry point of a name; kEntryPointCount: none.
uint32_t entry_named(std::string_view name);
// Returns whether the vendor's library lacks the function; false where there is no such library.
bool library_lacks(uint32_t entry);
// Returns our own entry point, even if other libraries define the name.
const void* exported(uint32_t entry);
// Returns our hook of an entry point; nullptr: calls are forwarded. (hooks.cpp)
void* hook_of(uint32_t entry);
// Called when every g_driver is known (platform/<p>/shim/proc_address.cpp).
void driver_noted();
// Returns whether the vendor's library was called through this shim.
bool driver_used();
// Opens the vendor's library if it is not open. Returns false if there is none, or nothing is scheduled on it.
bool resolved();

}  // namespace xsched::stream
