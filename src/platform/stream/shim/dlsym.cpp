// The answers of dlsym to the program we are loaded into, for names of the vendor's. We export functions that the
// loaded library may lack. A program that looks for such a name finds what it would find without us: null, as a rule.
//
// Only dlsym can be answered so. A weak reference to such a name is bound to our entry point by the dynamic linker; a
// call of it goes to another library that has the function, and otherwise fails as not supported (entry_points.cpp).
#include <dlfcn.h>
#include <link.h>

#include "platform.h"
#include "platform/stream/hal/hal_abi.h"
#include "platform/stream/shim/entry_points.h"
#include "platform/stream/shim/next_dlsym.h"

constinit std::atomic<xsched::stream::Dlsym> xsched_next_dlsym{nullptr};

namespace xsched::stream {
namespace {

// Returns whether the name begins like a function of the vendor's. Compares by hand: a sanitizer's runtime looks up
// strncmp here before its own strncmp works.
bool is_of_the_vendor(const char* name) {
    for (const char* prefix : kNamePrefixes) {
        const char* rest = name;
        while (*prefix != '\0' && *rest == *prefix) ++prefix, ++rest;
        if (*prefix == '\0') return true;
    }
    return false;
}

link_map* library_of(const void* address) {
    Dl_info info{};
    link_map* library = nullptr;
    const int found = dladdr1(address, &info, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP);
    return found != 0 ? library : nullptr;
}

// Walks the list without the linker's lock: the libraries before us stay for as long as the process.
bool comes_before_us(const void* caller) {
    const link_map* library = library_of(caller);
    for (const link_map* before = library_of(&xsched_next_dlsym); before != nullptr; before = before->l_prev)
        if (before->l_prev == library) return library != nullptr;
    return false;
}

bool search_meets_us(void* library, uint32_t entry, const void* caller) {
    if (library == RTLD_NEXT) return comes_before_us(caller);
    return hal_dlsym()(library, name_of(entry)) == exported(entry);
}

// Searches the caller's library and the libraries that it needs, which need not be in the global scope. Returns nullptr
// if they have no such function but ours.
void* in_libraries_of(const void* caller, uint32_t entry) {
    const link_map* of_caller = library_of(caller);
    void* library = of_caller != nullptr && of_caller->l_name[0] != '\0'
                        ? dlopen(of_caller->l_name, RTLD_NOW | RTLD_NOLOAD)
                        : nullptr;
    if (library == nullptr) return nullptr;
    void* found = hal_dlsym()(library, name_of(entry));
    dlclose(library);
    return found != exported(entry) ? found : nullptr;
}

// Returns the address that the program would find without us. If there is none, dlerror names the vendor's library.
DlsymAnswer without_us(void* library, uint32_t entry, const void* caller) {
    const void* found = next_symbol(name_of(entry));
    if (found == nullptr && library == RTLD_DEFAULT) found = in_libraries_of(caller, entry);
    if (found == nullptr) hal_dlsym()(HAL(open_driver)(), name_of(entry));
    return {found, 1};
}

}  // namespace
}  // namespace xsched::stream

extern "C" xsched::stream::DlsymAnswer xsched_dlsym(void* library, const char* name, const void* caller) {
    using namespace xsched::stream;
    find_next_dlsym([] { return next_symbol("dlsym"); }, hal_dlsym);
    if (name == nullptr || !is_of_the_vendor(name)) return {};
    if (const void* ours = in_place_of(library, name)) return {ours, 1};
    const uint32_t entry = entry_named(name);
    if (entry == kEntryPointCount || !search_meets_us(library, entry, caller) || !library_lacks(entry)) return {};
    return without_us(library, entry, caller);
}
