#include "platform/levelzero/shim/entry_points.h"

#include "platform/levelzero/hal/hal_abi.h"
#include "platform/stream/shim/first_call.h"

// Defined in the generated trampolines.S.
extern "C" std::atomic<void*> xsched_slots[xsched::levelzero::kEntryPointCount];
extern "C" const void* const xsched_exported[xsched::levelzero::kEntryPointCount];

// A symbol by which another loaded copy of this shim is recognized.
extern "C" [[gnu::visibility("default")]] const int zeXSchedShim = 1;

namespace xsched::levelzero {

constinit std::atomic<void*> g_below[kEntryPointCount] = {};

namespace {

using stream::FirstCall;

const char* const kNames[kEntryPointCount] = {
#define ENTRY_POINT(name) #name,
#include "entry_points.inc"
};

// The answers of functions that are not there. A caller's arguments do not matter to them.
ze_result_t without_loader() { return ZE_RESULT_ERROR_UNINITIALIZED; }
ze_result_t without_function() { return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE; }

bool hand_over() {
    ZeApi api;
#define NEEDED(name) api.name = below<kEntry_##name>();
#define OPTIONAL(name) api.name = below<kEntry_##name>();
#include "functions.inc"
    return xze_use_api(&api);
}

// Returns whether the work is scheduled.
bool resolve_all() {
    void* library = xze_open_library();
    for (uint32_t i = 0; i < kEntryPointCount; ++i) {
        void* real = library != nullptr ? xze_dlsym()(library, kNames[i]) : nullptr;
        g_below[i].store(real != xsched_exported[i] ? real : nullptr, std::memory_order_relaxed);
    }
    const bool schedule = library != nullptr && hand_over();
    for (uint32_t i = 0; i < kEntryPointCount; ++i) {
        void* real = g_below[i].load(std::memory_order_relaxed);
        void* target = schedule && real != nullptr ? hook_of(i) : nullptr;
        if (target == nullptr) target = real;
        if (target == nullptr)
            target = reinterpret_cast<void*>(library != nullptr ? &without_function : &without_loader);
        xsched_slots[i].store(target, std::memory_order_release);
    }
    return schedule;
}

}  // namespace

uint32_t entry_named(std::string_view name) {
    for (uint32_t i = 0; i < kEntryPointCount; ++i)
        if (name == kNames[i]) return i;
    return kEntryPointCount;
}

const void* exported(uint32_t entry) { return xsched_exported[entry]; }

bool resolved() { return FirstCall::schedules(resolve_all); }

void use_below(void* const (&functions)[kEntryPointCount]) {
    for (uint32_t i = 0; i < kEntryPointCount; ++i)
        if (functions[i] != nullptr) g_below[i].store(functions[i], std::memory_order_relaxed);
    hand_over();
}

}  // namespace xsched::levelzero

// Returns the address to which an entry point's stub jumps. Opens the loader first, if that has not been done. The
// trampolines' stubs call this on the program's thread, with its arguments saved.
extern "C" void* xsched_resolve(uint32_t entry) {
    using namespace xsched::levelzero;
    if (FirstCall::is_under_way()) return reinterpret_cast<void*>(&without_loader);
    resolved();
    return xsched_slots[entry].load(std::memory_order_acquire);
}
