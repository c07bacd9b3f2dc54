// The answers of dlsym to the program we are loaded into, for names of Level Zero's. A program that opens the loader
// itself and asks it for a function gets our entry point. The static loader asks it for tables and gets those with our
// hooks. Answers that come from other libraries, such as a driver's own tables, stay as they are.
#include <dlfcn.h>

#include "base/new_functions.h"
#include "platform/levelzero/hal/hal_abi.h"
#include "platform/levelzero/shim/entry_points.h"
#include "platform/levelzero/shim/tables.h"
#include "platform/stream/shim/next_dlsym.h"

constinit std::atomic<xsched::stream::Dlsym> xsched_next_dlsym{nullptr};

namespace xsched::levelzero {
namespace {

bool is_the_loaders(const void* address, const char* name) {
    void* library = xze_open_library();
    return address != nullptr && library != nullptr && xze_dlsym()(library, name) == address;
}

const void* in_place_of(void* library, const char* name) {
    if (library == RTLD_DEFAULT || library == RTLD_NEXT) return nullptr;
    const uint32_t entry = entry_named(name);
    const void* ours = entry != kEntryPointCount && hook_of(entry) != nullptr ? exported(entry) : nullptr;
    if (ours == nullptr) ours = table_function_named(name);
    if (entry == kEntryPointCount && ours == nullptr && base::looks_like_work(name) &&
        is_the_loaders(xze_dlsym()(library, name), name))
        base::tell_new_function(name);
    if (ours == nullptr) return nullptr;
    const void* address = xze_dlsym()(library, name);
    return address != nullptr && address != ours && is_the_loaders(address, name) ? ours : nullptr;
}

}  // namespace
}  // namespace xsched::levelzero

extern "C" xsched::stream::DlsymAnswer xsched_dlsym(void* library, const char* name, const void*) {
    using namespace xsched::levelzero;
    xsched::stream::find_next_dlsym([] { return xze_dlsym()(RTLD_NEXT, "dlsym"); }, xze_dlsym);
    // The name is compared letter by letter: a sanitizer's runtime looks up strncmp by this function before its own
    // strncmp works.
    if (name == nullptr || name[0] != 'z' || name[1] != 'e') return {};
    const void* ours = in_place_of(library, name);
    return {ours, ours != nullptr};
}
