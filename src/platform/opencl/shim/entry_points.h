// The OpenCL entry points by number, and the two ways a call reaches us.
//
//  - LD_PRELOAD: the program calls our exported cl* symbol, a generated trampoline that jumps through its slot. The
//    first call of any of them loads the real library. It points every slot at our hook where there is one, else
//    straight at the real function.
//  - OPENCL_LAYERS: the ICD loader calls clInitLayer (layer.cpp). From then on the loader calls our hooks through the
//    layer's dispatch table, and the slots lead straight to the loader. So a program that came both ways is scheduled
//    once.
//
// Nothing happens at load. All functions may be called from any thread; slots change by single stores.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/opencl/hal/api.h"
#include "platform/stream/shim/declared.h"

namespace xsched::opencl {

enum EntryPoint : uint32_t {
#define ENTRY_POINT(name) kEntry_##name,
#include "entry_points.inc"
    kEntryPointCount
};

// The next function below us, for hooks: the loader's, or as a layer the next layer's.
extern std::atomic<void*> g_below[kEntryPointCount];

// Properties of a function that its types do not tell: tools/codegen/table.py says what each means.
enum class CopyBytes : uint8_t { kNone, kLast, kRegion, kUntold };
struct Traits {
    CopyBytes copy = CopyBytes::kNone;
};
#include "traits.inc"

template <EntryPoint kEntry>
struct Declared;
#define ENTRY_POINT(name) XSCHED_DECLARED(name, decltype(cl_icd_dispatch::name))
#include "entry_points.inc"

template <EntryPoint kEntry>
inline typename Declared<kEntry>::Type below() {
    return Declared<kEntry>::driver();
}

// Returns our hook of an entry point; nullptr: calls are forwarded. (hooks.cpp)
void* hook_of(uint32_t entry);
// Returns the hook of that name.
void* hook_named(const char* name);

// Turns this library into a layer of the loader: from now on hooks call `target`, and exported entry points lead to the
// loader. Returns false if it is a layer already.
bool become_layer(const cl_icd_dispatch& target);

}  // namespace xsched::opencl
