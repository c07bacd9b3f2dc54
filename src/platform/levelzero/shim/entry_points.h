// Level Zero's functions by number, and the three ways in which a program's calls reach this library:
//
//  - LD_PRELOAD: the program calls our exported ze* symbol, a generated trampoline that jumps through its slot. The
//    first call of any of them opens the loader. It points every slot at our hook where there is one, else straight at
//    the loader's function.
//  - dlsym: a program that opens the loader itself and asks for its functions gets our exported symbols (dlsym.cpp).
//  - Tables: a program that is linked to the static loader (SYCL's runtime) asks the loader for tables of functions. It
//    gets them with our hooks in place (tables.cpp).
//
// Nothing happens at load. All functions may be called from any thread; slots change by single stores.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "platform/levelzero/hal/api.h"
#include "platform/stream/shim/declared.h"

namespace xsched::levelzero {

enum EntryPoint : uint32_t {
#define ENTRY_POINT(name) kEntry_##name,
#include "entry_points.inc"
    kEntryPointCount
};

// The loader's functions, for hooks: those of its tables if a program has asked for tables, else its exported ones. The
// exported ones are of no use to a program that has initialized the static loader alone.
extern std::atomic<void*> g_below[kEntryPointCount];

// Properties of a function that its types do not tell: tools/codegen/table.py says what each means.
enum class CopyBytes : uint8_t { kNone, kLast, kUntold };
struct Traits {
    CopyBytes copy = CopyBytes::kNone;
};
#include "traits.inc"

template <EntryPoint kEntry>
struct Declared;
#define FUNCTION(result, name, ...) XSCHED_DECLARED(name, declared::name)
#include "functions.inc"

template <EntryPoint kEntry>
inline typename Declared<kEntry>::Type below() {
    return Declared<kEntry>::driver();
}

// Returns the entry point of a name; kEntryPointCount: none.
uint32_t entry_named(std::string_view name);
// Returns our own exported entry point.
const void* exported(uint32_t entry);
// Returns our hook of an entry point; nullptr: calls are forwarded. (hooks.cpp)
void* hook_of(uint32_t entry);
// Opens the loader if it is not open. Returns false if there is none, or nothing is scheduled on it.
bool resolved();
// Uses these functions from now on, instead of those known (nullptr: keeps the known one).
void use_below(void* const (&functions)[kEntryPointCount]);

}  // namespace xsched::levelzero
