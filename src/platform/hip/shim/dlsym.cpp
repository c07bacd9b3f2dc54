// Answers dlsym for programs that open the HIP runtime themselves (Triton does): returns our entry points for the
// runtime's functions that we handle. Without this such programs would not be scheduled, since runtimes before 6.2 give
// their table to no library.
#include <dlfcn.h>

#include "base/new_functions.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/stream/shim/entry_points.h"

// Where dlsym.S jumps.
extern "C" std::atomic<xhip_Dlsym> xsched_hip_real_dlsym;
constinit std::atomic<xhip_Dlsym> xsched_hip_real_dlsym{nullptr};

namespace xsched::hip {
namespace {

// Compares by hand: a sanitizer's runtime asks for strncmp here before its own works.
bool begins_with_hip(const char* name) { return name[0] == 'h' && name[1] == 'i' && name[2] == 'p'; }

// Only what the runtime itself exports is replaced, not another library's function of that name.
bool is_the_runtimes(const void* address, const char* name) {
    void* library = HAL(open_driver)();
    return library != nullptr && stream::hal_dlsym()(library, name) == address;
}

}  // namespace
}  // namespace xsched::hip

// Returns our function; nullptr: the C library should answer.
extern "C" const void* xsched_hip_dlsym(void* library, const char* name) {
    using namespace xsched::stream;
    using xsched::hip::begins_with_hip;
    xhip_Dlsym real = xsched_hip_real_dlsym.load(std::memory_order_relaxed);
    if (real == nullptr) {
        real = xhip_dlsym();
        xsched_hip_real_dlsym.store(real, std::memory_order_relaxed);
    }
    if (name == nullptr || !begins_with_hip(name) || library == RTLD_DEFAULT || library == RTLD_NEXT) return nullptr;
    const uint32_t entry = entry_named(name);
    if (entry == kEntryPointCount && xsched::base::looks_like_work(name)) {
        if (const void* found = real(library, name); found != nullptr && xsched::hip::is_the_runtimes(found, name))
            xsched::base::tell_new_function(name);
    }
    if (entry == kEntryPointCount || hook_of(entry) == nullptr) return nullptr;
    const void* address = real(library, name);
    if (address == nullptr || address == exported(entry) || !resolved()) return nullptr;
    return xsched::hip::is_the_runtimes(address, name) ? exported(entry) : nullptr;
}
