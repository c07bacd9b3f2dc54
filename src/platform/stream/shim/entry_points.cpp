#include "platform/stream/shim/entry_points.h"

#include <dlfcn.h>

#include <cerrno>

#include "platform.h"
#include "platform/stream/hal/hal_abi.h"
#include "platform/stream/shim/first_call.h"
#include "platform/stream/shim/no_driver.h"

// Defined in the generated trampolines.S.
extern "C" std::atomic<void*> xsched_slots[xsched::stream::kEntryPointCount];
extern "C" const void* const xsched_exported[xsched::stream::kEntryPointCount];

// A symbol by which another loaded copy of this shim is recognized.
extern "C" [[gnu::visibility("default")]] const int VENDOR(XSchedShim) = 1;

namespace xsched::stream {

constinit std::atomic<void*> g_driver[kEntryPointCount] = {};

namespace {

// Entry points that the vendor's library lacks; final once the first call is over. Their slots lead here at each call,
// until another library has the function, where the linker would have found it without us.
constinit bool g_lacking[kEntryPointCount] = {};

constexpr const char* kShimMark = XSCHED_NAME(VENDOR(XSchedShim));

const char* const kNames[kEntryPointCount] = {
#define ENTRY_POINT(name) #name,
#include "entry_points.inc"
};

void note_driver(void* library) {
    for (uint32_t i = 0; i < kEntryPointCount; ++i) {
        void* real = library != nullptr ? hal_dlsym()(library, kNames[i]) : nullptr;
        if (real == xsched_exported[i]) real = nullptr;
        void* noted = nullptr;  // by the library's own table, which comes first where opening the library used it
        g_driver[i].compare_exchange_strong(noted, real, std::memory_order_relaxed);
    }
}

// Returns whether the library's work is scheduled.
bool resolve_all() {
    void* library = HAL(open_driver)();
    const bool schedule = library != nullptr && HAL(api)() != nullptr;
    note_driver(library);
    if (schedule) driver_noted();
    for (uint32_t i = 0; i < kEntryPointCount; ++i) {
        void* real = g_driver[i].load(std::memory_order_relaxed);
        void* target = schedule && real != nullptr ? hook_of(i) : nullptr;
        if (target == nullptr) target = real;
        g_lacking[i] = target == nullptr && library != nullptr;
        if (g_lacking[i]) continue;
        if (target == nullptr) target = without_driver(kNames[i]);
        xsched_slots[i].store(target, std::memory_order_release);
    }
    return schedule;
}

// Returns whether the function belongs to another copy of this shim, which would call back here.
bool is_of_a_shim(void* function) {
    Dl_info info{};
    void* library = dladdr(function, &info) != 0 ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    if (library == nullptr) return false;
    const bool marked = hal_dlsym()(library, kShimMark) != nullptr;
    dlclose(library);
    return marked;
}

void* in_another_library(uint32_t entry) {
    const int saved = errno;
    void* found = next_symbol(kNames[entry]);
    if (found == nullptr || is_of_a_shim(found)) found = companion_symbol(kNames[entry]);
    if (found == nullptr)
        found = without_function(kNames[entry]);
    else
        xsched_slots[entry].store(found, std::memory_order_release);
    errno = saved;
    return found;
}

}  // namespace

const char* name_of(uint32_t entry) { return kNames[entry]; }

const void* exported(uint32_t entry) { return xsched_exported[entry]; }

uint32_t entry_named(std::string_view name) {
    for (uint32_t i = 0; i < kEntryPointCount; ++i)
        if (name == kNames[i]) return i;
    return kEntryPointCount;
}

bool library_lacks(uint32_t entry) {
    resolved();
    return !FirstCall::is_under_way() && g_lacking[entry];
}

bool driver_used() { return FirstCall::is_over() || FirstCall::is_under_way(); }

bool resolved() { return FirstCall::schedules(resolve_all); }

}  // namespace xsched::stream

// Called by the trampolines' stubs on the program's thread, with its arguments saved.
extern "C" void* xsched_resolve(uint32_t entry) {
    using namespace xsched::stream;
    if (FirstCall::is_under_way()) return without_driver(kNames[entry]);
    resolved();
    if (g_lacking[entry]) return in_another_library(entry);
    return xsched_slots[entry].load(std::memory_order_acquire);
}
