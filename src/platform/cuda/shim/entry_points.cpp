#include "platform/cuda/shim/entry_points.h"

#include <dlfcn.h>

#include <cerrno>

#include "base/mutex.h"
#include "platform/cuda/hal/hal_abi.h"
#include "platform/cuda/shim/no_driver.h"
#include "platform/cuda/shim/proc_address.h"

// From the generated trampolines.S.
extern "C" std::atomic<void*> xsched_cuda_slots[xsched::cuda::kEntryPointCount];
extern "C" const void* const xsched_cuda_exported[xsched::cuda::kEntryPointCount];

// By this name another copy of ours, searching for the driver, knows us.
extern "C" [[gnu::visibility("default")]] const int cuXSchedShim = 1;

namespace xsched::cuda {

constinit std::atomic<void*> g_driver[kEntryPointCount] = {};

namespace {

static_assert(sizeof(std::atomic<void*>) == sizeof(void*), "a slot is what a trampoline jumps through");

constinit std::atomic<bool> g_resolved{false};
constinit base::Mutex g_mutex;
// A driver that calls its own exported functions while it is being opened comes back to us.
[[gnu::tls_model("initial-exec")]] thread_local bool t_resolving = false;

const char* const kNames[kEntryPointCount] = {
#define ENTRY_POINT(name) #name,
#include "entry_points.inc"
};

void resolve_all() {
    void* library = xcu_open_driver();
    for (uint32_t i = 0; i < kEntryPointCount; ++i) {
        void* real = library != nullptr ? dlsym(library, kNames[i]) : nullptr;
        g_driver[i].store(real != xsched_cuda_exported[i] ? real : nullptr, std::memory_order_relaxed);
    }
    const bool schedule = library != nullptr && xcu_api() != nullptr;
    if (schedule) note_addresses();
    for (uint32_t i = 0; i < kEntryPointCount; ++i) {
        void* real = g_driver[i].load(std::memory_order_relaxed);
        void* target = schedule && real != nullptr ? hook_of(i) : nullptr;
        if (target == nullptr) target = real;
        if (target == nullptr) target = library == nullptr ? without_driver(kNames[i]) : without_function();
        xsched_cuda_slots[i].store(target, std::memory_order_release);
    }
}

}  // namespace

const char* name_of(uint32_t entry) { return kNames[entry]; }

}  // namespace xsched::cuda

// Called by the trampolines' stubs, on the program's thread, with its arguments saved.
extern "C" void* xsched_cuda_resolve(uint32_t entry) {
    using namespace xsched::cuda;
    if (t_resolving) return without_driver(kNames[entry]);
    const int saved = errno;
    if (!g_resolved.load(std::memory_order_acquire)) {
        xsched::base::Lock lock(g_mutex);
        t_resolving = true;
        if (!g_resolved.load(std::memory_order_relaxed)) resolve_all();
        t_resolving = false;
        g_resolved.store(true, std::memory_order_release);
    }
    errno = saved;
    return xsched_cuda_slots[entry].load(std::memory_order_acquire);
}
