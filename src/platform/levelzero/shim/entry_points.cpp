#include "platform/levelzero/shim/entry_points.h"

#include <cerrno>

#include "base/mutex.h"
#include "platform/levelzero/hal/hal_abi.h"

// Defined in the generated trampolines.S.
extern "C" std::atomic<void*> xsched_slots[xsched::levelzero::kEntryPointCount];
extern "C" const void* const xsched_exported[xsched::levelzero::kEntryPointCount];

// A symbol by which another loaded copy of this shim is recognized.
extern "C" [[gnu::visibility("default")]] const int zeXSchedShim = 1;

namespace xsched::levelzero {

constinit std::atomic<void*> g_below[kEntryPointCount] = {};

namespace {

static_assert(sizeof(std::atomic<void*>) == sizeof(void*), "a slot is what a trampoline jumps through");

constinit std::atomic<bool> g_resolved{false};
constinit std::atomic<bool> g_schedules{false};
constinit base::Mutex g_entry_mutex;
// True while this thread opens the loader. If a library calls the loader's exported functions while it is being opened,
// the calls end up here again.
[[gnu::tls_model("initial-exec")]] thread_local bool t_resolving = false;

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

void resolve_all() {
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
    g_schedules.store(schedule, std::memory_order_release);
}

}  // namespace

uint32_t entry_named(std::string_view name) {
    for (uint32_t i = 0; i < kEntryPointCount; ++i)
        if (name == kNames[i]) return i;
    return kEntryPointCount;
}

const void* exported(uint32_t entry) { return xsched_exported[entry]; }

bool resolved() {
    if (t_resolving) return false;
    if (!g_resolved.load(std::memory_order_acquire)) {
        const int saved = errno;
        base::Lock lock(g_entry_mutex);
        t_resolving = true;
        if (!g_resolved.load(std::memory_order_relaxed)) resolve_all();
        t_resolving = false;
        g_resolved.store(true, std::memory_order_release);
        errno = saved;
    }
    return g_schedules.load(std::memory_order_acquire);
}

void use_below(void* const (&functions)[kEntryPointCount]) {
    for (uint32_t i = 0; i < kEntryPointCount; ++i)
        if (functions[i] != nullptr) g_below[i].store(functions[i], std::memory_order_relaxed);
    hand_over();
}

}  // namespace xsched::levelzero

// Called by the trampolines' stubs on the program's thread, with its arguments saved.
extern "C" void* xsched_resolve(uint32_t entry) {
    using namespace xsched::levelzero;
    if (t_resolving) return reinterpret_cast<void*>(&without_loader);
    resolved();
    return xsched_slots[entry].load(std::memory_order_acquire);
}
