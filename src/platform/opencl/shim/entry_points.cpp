// Names by dlsym are not answered as CUDA's and HIP's are (platform/stream/shim/dlsym.cpp), since programs do not learn
// from them what they may call. The loader itself exports functions that the devices behind it lack: a program asks
// for the version of the platform and of the device. The loaders of OpenCL 3.0 have all the names that we export. With
// an older loader a function that it lacks is found preloaded, and a call of it fails as without platforms (Missing).
#include "platform/opencl/shim/entry_points.h"

#include <dlfcn.h>

#include <cerrno>
#include <cstring>
#include <type_traits>

#include "base/log.h"
#include "platform/opencl/hal/hal_abi.h"

// Defined in the generated trampolines.S.
extern "C" std::atomic<void*> xsched_slots[xsched::opencl::kEntryPointCount];
extern "C" const void* const xsched_exported[xsched::opencl::kEntryPointCount];

namespace xsched::opencl {

constinit std::atomic<void*> g_below[kEntryPointCount] = {};

namespace {

static_assert(sizeof(std::atomic<void*>) == sizeof(void*), "a slot is what a trampoline jumps through");

constinit std::atomic<bool> g_resolved{false};
constinit std::atomic<bool> g_layer{false};
constinit std::atomic<void*> g_loader[kEntryPointCount] = {};  // the real library's functions

const char* const kNames[kEntryPointCount] = {
#define ENTRY_POINT(name) #name,
#include "entry_points.inc"
};

// The answer of an entry point that no library offers: the error a program gets from a loader without platforms.
template <typename Function>
struct Missing;
template <typename Result, typename... Arguments>
struct Missing<Result(CL_API_CALL*)(Arguments...)> {
    static Result CL_API_CALL call(Arguments... arguments) {
        (report(arguments), ...);
        if constexpr (std::is_same_v<Result, cl_int>)
            return CL_PLATFORM_NOT_FOUND_KHR;
        else
            return Result();
    }
    // Stores an error code if the argument is the place for one (cl_int* errcode_ret).
    template <typename Argument>
    static void report(Argument argument) {
        if constexpr (std::is_same_v<Argument, cl_int*>) {
            if (argument != nullptr) *argument = CL_PLATFORM_NOT_FOUND_KHR;
        }
    }
};

void* missing(uint32_t entry) {
    static constexpr void* (*kMissing[])() = {
#define ENTRY_POINT(name) [] { return reinterpret_cast<void*>(&Missing<Declared<kEntry_##name>::Type>::call); },
#include "entry_points.inc"
    };
    return kMissing[entry]();
}

// Returns where the exported entry point should lead as long as the loader has not made this library a layer.
void* preload_target(uint32_t entry, bool schedule) {
    void* real = g_loader[entry].load(std::memory_order_relaxed);
    if (real == nullptr) return missing(entry);
    if (!schedule || g_layer.load(std::memory_order_seq_cst)) return real;
    void* hook = hook_of(entry);
    return hook != nullptr ? hook : real;
}

void lead_to_loader() {
    for (uint32_t i = 0; i < kEntryPointCount; ++i) {
        void* real = g_loader[i].load(std::memory_order_relaxed);
        if (real != nullptr) xsched_slots[i].store(real, std::memory_order_release);
    }
}

// Looks up all entry points. Several threads may do this at once: each finds the same library, and the first to write a
// place wins.
void resolve_all() {
    void* library = xocl_open_library(xsched_exported[0]);
    ClApi api;
    for (uint32_t i = 0; i < kEntryPointCount; ++i) {
        void* real = library != nullptr ? dlsym(library, kNames[i]) : nullptr;
        if (real == xsched_exported[i]) real = nullptr;
        g_loader[i].store(real, std::memory_order_relaxed);
        void* nothing = nullptr;
        if (!g_layer.load(std::memory_order_acquire)) g_below[i].compare_exchange_strong(nothing, real);
    }
#define NEEDED(name) api.name = below<kEntry_##name>();
#include "functions.inc"
    const bool schedule = library != nullptr && (g_layer.load(std::memory_order_acquire) || xocl_use_api(&api));
    for (uint32_t i = 0; i < kEntryPointCount; ++i) {
        void* first = xsched_slots[i].load(std::memory_order_relaxed);
        if (!g_resolved.load(std::memory_order_acquire))
            xsched_slots[i].compare_exchange_strong(first, preload_target(i, schedule));
    }
    g_resolved.store(true, std::memory_order_release);
    if (g_layer.load(std::memory_order_seq_cst)) lead_to_loader();
}

}  // namespace

bool become_layer(const cl_icd_dispatch& target) {
    ClApi api;
#define NEEDED(name) api.name = target.name;
#include "functions.inc"
    if (g_layer.load() || !xocl_use_api(&api) || g_layer.exchange(true)) return false;
#define ENTRY_POINT(name) g_below[kEntry_##name].store(reinterpret_cast<void*>(target.name));
#include "entry_points.inc"
    lead_to_loader();
    return true;
}

void* hook_named(const char* name) {
    for (uint32_t i = 0; i < kEntryPointCount; ++i)
        if (std::strcmp(kNames[i], name) == 0) return hook_of(i);
    return nullptr;
}

}  // namespace xsched::opencl

// Called by the trampolines' stubs, on the program's thread, with its arguments saved.
extern "C" void* xsched_resolve(uint32_t entry) {
    using namespace xsched::opencl;
    const int saved = errno;
    if (!g_resolved.load(std::memory_order_acquire)) resolve_all();
    errno = saved;
    return xsched_slots[entry].load(std::memory_order_acquire);
}
