#include "platform/levelzero/hal/vendor_library.h"

#include <dlfcn.h>

#include <atomic>

#include "base/log.h"
#include "base/options.h"
#include "platform/levelzero/hal/hal_abi.h"
#include "platform/stream/hal/linker.h"
#include "platform/stream/hal/published_api.h"

namespace xsched::levelzero {
namespace {

constexpr const char* kDefaultName = "libze_loader.so.1";

constinit stream::PublishedApi<ZeApi> g_api;
constinit std::atomic<void*> g_library{nullptr};
constinit std::atomic<bool> g_missing_logged{false};

void* open(const char* path) { return stream::linker_dlopen()(path, RTLD_NOW | RTLD_LOCAL); }

// Returns what is wrong with the library as a loader; nullptr: nothing.
const char* objection(void* library) {
    if (stream::linker_dlsym()(library, "zeInit") == nullptr)
        return "it has no zeInit, so it is not Level Zero's loader";
    if (stream::linker_dlsym()(library, "zeXSchedShim") != nullptr) return "it is XSched's own shim";
    return nullptr;
}

void* open_named(const char* path) {
    void* library = open(path);
    const char* reason = library != nullptr ? objection(library) : dlerror();
    if (library != nullptr && reason == nullptr) return library;
    XLOG_WARN("XSCHED_LEVELZERO_LIB=%s is not used: %s; going on with the default %s", path,
              reason != nullptr ? reason : "it cannot be loaded", kDefaultName);
    if (library != nullptr) dlclose(library);
    return nullptr;
}

void* find_library() {
    const char* path = base::options().levelzero_lib;
    void* library = *path != '\0' ? open_named(path) : nullptr;
    if (library == nullptr) library = open(kDefaultName);
    if (library != nullptr && objection(library) != nullptr) library = nullptr;
    if (library == nullptr && !g_missing_logged.exchange(true))
        XLOG_ERRO("no Level Zero loader found (%s); install it or name one with XSCHED_LEVELZERO_LIB", kDefaultName);
    return library;
}

}  // namespace

const ZeApi* vendor_api() { return g_api.get(); }

void* loader_function(const char* name) {
    void* library = g_library.load(std::memory_order_acquire);
    return library != nullptr ? stream::linker_dlsym()(library, name) : nullptr;
}

}  // namespace xsched::levelzero

extern "C" void* xze_open_library(void) {
    using namespace xsched::levelzero;
    void* known = g_library.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    void* library = find_library();
    if (library != nullptr && !g_library.compare_exchange_strong(known, library)) library = known;
    return library;
}

extern "C" XzeDlsym xze_dlsym(void) { return xsched::stream::linker_dlsym(); }

extern "C" bool xze_use_api(const xsched::levelzero::ZeApi* api) {
    return xsched::levelzero::g_api.use(*api, "Level Zero", "the Level Zero loader lacks functions of version 1.0");
}
