#include "platform/stream/hal/vendor_library.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>

#include "base/log.h"
#include "base/mutex.h"
#include "platform/stream/hal/linker.h"

namespace xsched::stream {
namespace {

constinit base::Mutex g_library_mutex;
constinit std::atomic<bool> g_searched{false};
constinit void* g_library = nullptr;
constinit std::atomic<const Api*> g_api{nullptr};
constinit std::atomic<bool> g_api_failed{false};
constinit Api g_functions{};

void* symbol_in(void* library, const char* name) { return linker_dlsym()(library, name); }

constexpr const char* kShimMark = XSCHED_NAME(VENDOR(XSchedShim));  // exported by our shim and by no other library
constexpr const char* kFirst = XSCHED_NAME(VENDOR(Init));           // exported by every library of the vendor's

// Writes into `text` why the library is not the vendor's. Returns false if it is. Only its own symbols count, not those
// of libraries that it needs.
bool is_wrong(void* library, char* text, size_t bytes) {
    const bool ours = symbol_in(library, kShimMark) != nullptr;
    if (!ours && symbol_in(library, kFirst) != nullptr) return false;
    if (ours)
        std::snprintf(text, bytes, "it is XSched's own shim");
    else
        std::snprintf(text, bytes, "it has no %s, so it is not a %s", kFirst, kVendorLibrary.title);
    return true;
}

void* open_named(const char* path) {
    void* library = open_file(path);
    char wrong[128];
    if (library != nullptr && !is_wrong(library, wrong, sizeof wrong)) return library;
    const char* reason = library != nullptr ? wrong : dlerror();
    XLOG_WARN("%s=%s is not used: %s; going on with the %s", kVendorLibrary.variable, path,
              reason != nullptr ? reason : "it cannot be loaded", kVendorLibrary.others);
    if (library != nullptr) dlclose(library);
    return nullptr;
}

}  // namespace

void* open_file(const char* path, int how) { return linker_dlopen()(path, RTLD_NOW | RTLD_GLOBAL | how); }

bool accept(void* library, const char* path, void** result) {
    if (library == nullptr) return false;
    char wrong[128];
    if (is_wrong(library, wrong, sizeof wrong)) {
        dlclose(library);
        return false;
    }
    XLOG_DEBG("the %s is %s", kVendorLibrary.title, path);
    *result = library;
    return true;
}

bool try_file(const char* path, void* result) { return accept(open_file(path), path, static_cast<void**>(result)); }

const Api* vendor_api() {
    if (const Api* api = g_api.load(std::memory_order_acquire)) return api;
    if (g_api_failed.load(std::memory_order_acquire)) return nullptr;
    void* library = HAL(open_driver)();
    base::Lock lock(g_library_mutex);
    if (const Api* api = g_api.load(std::memory_order_acquire)) return api;
    if (library == nullptr || g_api_failed.load(std::memory_order_acquire)) return nullptr;
    const auto find = [library](const char* name) { return symbol_in(library, name); };
    if (const char* missing = look_up(g_functions, find)) {
        XLOG_WARN("the %s has no %s: nothing is scheduled on it (%s have all that is needed)", kVendorLibrary.title,
                  missing, kVendorLibrary.enough);
        g_api_failed.store(true, std::memory_order_release);
        return nullptr;
    }
    g_api.store(&g_functions, std::memory_order_release);
    return &g_functions;
}

}  // namespace xsched::stream

extern "C" void* HAL(open_driver)(void) {
    using namespace xsched::stream;
    if (g_searched.load(std::memory_order_acquire)) return g_library;
    xsched::base::Lock lock(g_library_mutex);
    if (g_searched.load(std::memory_order_acquire)) return g_library;
    const char* path = chosen_library();
    if (*path != '\0') g_library = open_named(path);
    if (g_library == nullptr) g_library = find_library();
    if (g_library == nullptr) say_no_library();
    g_searched.store(true, std::memory_order_release);
    return g_library;
}

extern "C" HAL(Dlsym) HAL(dlsym)(void) { return xsched::stream::linker_dlsym(); }
extern "C" const xsched::stream::Api* HAL(api)(void) { return xsched::stream::vendor_api(); }
