#include "platform/opencl/hal/vendor_library.h"

#include <dlfcn.h>

#include <atomic>

#include "base/log.h"
#include "base/options.h"
#include "platform/opencl/hal/hal_abi.h"
#include "platform/stream/hal/published_api.h"

namespace xsched::opencl {
namespace {

constexpr const char* kDefaultNames[] = {"libOpenCL.so.1", "libOpenCL.so"};

constinit stream::PublishedApi<ClApi> g_api;
std::atomic<bool> g_missing_logged{false};

bool same_library(const void* one, const void* other) {
    Dl_info first{}, second{};
    return dladdr(one, &first) != 0 && dladdr(other, &second) != 0 && first.dli_fbase == second.dli_fbase;
}

// Returns what is wrong with the library as an OpenCL library; nullptr: nothing.
const char* objection(void* library, const void* own) {
    const void* entry = dlsym(library, "clGetPlatformIDs");
    if (entry == nullptr) return "it has no clGetPlatformIDs, so it is not an OpenCL library";
    if (own != nullptr && same_library(entry, own)) return "it leads back to XSched's own shim";
    return nullptr;
}

void* open_named(const char* path, const void* own) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* reason = dlerror();
        XLOG_WARN("XSCHED_OPENCL_LIB=%s cannot be loaded (%s); going on with the default %s", path,
                  reason != nullptr ? reason : "no reason given", kDefaultNames[0]);
        return nullptr;
    }
    if (const char* reason = objection(library, own)) {
        XLOG_WARN("XSCHED_OPENCL_LIB=%s is not used: %s; going on with the default %s", path, reason, kDefaultNames[0]);
        dlclose(library);
        return nullptr;
    }
    return library;
}

void* open_default(const void* own) {
    for (const char* name : kDefaultNames) {
        void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) continue;
        if (objection(library, own) == nullptr) return library;
        dlclose(library);
    }
    return nullptr;
}

}  // namespace

const ClApi* vendor_api() {
    if (const ClApi* known = g_api.get()) return known;
    void* library = xocl_open_library(nullptr);
    if (library == nullptr) return nullptr;
    ClApi found;
#define NEEDED(name) found.name = reinterpret_cast<decltype(found.name)>(dlsym(library, #name));
#include "functions.inc"
    return xocl_use_api(&found) ? g_api.get() : nullptr;
}

}  // namespace xsched::opencl

extern "C" void* xocl_open_library(const void* own) {
    using namespace xsched::opencl;
    const char* path = xsched::base::options().opencl_lib;
    void* library = *path != '\0' ? open_named(path, own) : nullptr;
    if (library == nullptr) library = open_default(own);
    if (library == nullptr && !g_missing_logged.exchange(true))
        XLOG_ERRO("no OpenCL library found (%s); install an ICD loader or name one with XSCHED_OPENCL_LIB",
                  kDefaultNames[0]);
    return library;
}

extern "C" bool xocl_use_api(const xsched::opencl::ClApi* api) {
    return xsched::opencl::g_api.use(*api, "OpenCL", "the OpenCL library lacks functions of OpenCL 1.1");
}
