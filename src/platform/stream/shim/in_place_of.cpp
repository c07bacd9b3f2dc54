// Answers dlsym for programs that open the vendor's runtime themselves (Triton and torch_npu do), with our entry points
// for the runtime's functions that we handle. Otherwise such programs would go unscheduled. (HIP's runtime hands out a
// table as well, from 6.2 on.)
#include <dlfcn.h>

#include "base/new_functions.h"
#include "platform.h"

namespace xsched::stream {
namespace {

// Returns whether the function is one that the runtime itself exports. Another library's function of that name is not
// replaced.
bool is_the_runtimes(const void* address, const char* name) {
    void* library = HAL(open_driver)();
    return library != nullptr && hal_dlsym()(library, name) == address;
}

}  // namespace

const void* in_place_of(void* library, const char* name) {
    if (library == RTLD_DEFAULT || library == RTLD_NEXT) return nullptr;
    const uint32_t entry = entry_named(name);
    if (entry == kEntryPointCount && base::looks_like_work(name)) {
        if (const void* found = hal_dlsym()(library, name); found != nullptr && is_the_runtimes(found, name))
            base::tell_new_function(name);
    }
    if (entry == kEntryPointCount || hook_of(entry) == nullptr) return nullptr;
    const void* address = hal_dlsym()(library, name);
    if (address == nullptr || address == exported(entry) || !resolved()) return nullptr;
    return is_the_runtimes(address, name) ? exported(entry) : nullptr;
}

}  // namespace xsched::stream
