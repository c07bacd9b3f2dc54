#include "platform/cuda/hal/vendor_library.h"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "platform/cuda/hal/hal_abi.h"
#include "platform/stream/hal/library_search.h"

namespace xsched::cuda {
namespace {

constexpr const char* kName = "libcuda.so.1";
constexpr const char* kFolders[] = {
#ifdef __aarch64__
    "/usr/lib/aarch64-linux-gnu", "/lib/aarch64-linux-gnu",
#else
    "/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu",
#endif
    "/usr/lib64", "/lib64", "/usr/lib", "/lib", "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib",
    "/usr/local/cuda/compat", "/usr/lib/wsl/lib", "/opt/nvidia/lib64", "/run/opengl-driver/lib", nullptr};
// Exported by our shim and by no driver.
constexpr const char* kShimMark = "cuXSchedShim";

constinit base::Mutex g_mutex;
constinit std::atomic<bool> g_searched{false};
constinit void* g_driver = nullptr;
constinit std::atomic<const CuApi*> g_api{nullptr};
constinit std::atomic<bool> g_api_failed{false};
constinit CuApi g_functions{};

// What is wrong with the library as a CUDA driver; nullptr: nothing.
const char* objection(void* library) {
    if (dlsym(library, kShimMark) != nullptr) return "it is XSched's own shim";
    if (dlsym(library, "cuInit") == nullptr) return "it has no cuInit, so it is not a CUDA driver";
    return nullptr;
}

// Global, so that functions of a newer driver which our shim does not export are found by programs linked to them.
void* open_file(const char* path) { return dlopen(path, RTLD_NOW | RTLD_GLOBAL); }

void* open_named(const char* path) {
    void* library = open_file(path);
    const char* reason = library == nullptr ? dlerror() : objection(library);
    if (reason == nullptr && library != nullptr) return library;
    XLOG_WARN("XSCHED_CUDA_LIB=%s is not used: %s; going on with the %s that the dynamic linker finds", path,
              reason != nullptr ? reason : "it cannot be loaded", kName);
    if (library != nullptr) dlclose(library);
    return nullptr;
}

bool try_file(const char* path, void* result) {
    void* library = open_file(path);
    if (library == nullptr) return false;
    if (objection(library) != nullptr) {
        dlclose(library);
        return false;
    }
    XLOG_DEBG("the CUDA driver is %s", path);
    *static_cast<void**>(result) = library;
    return true;
}

void* open_default() {
    // Without our shim the linker's own answer is the right one.
    void* library = nullptr;
    if (try_file(kName, &library) || stream::for_each_library_file(kName, kFolders, try_file, &library)) return library;
    return nullptr;
}

}  // namespace

const CuApi* vendor_api() {
    if (const CuApi* api = g_api.load(std::memory_order_acquire)) return api;
    if (g_api_failed.load(std::memory_order_acquire)) return nullptr;
    void* library = xcu_open_driver();
    base::Lock lock(g_mutex);
    if (const CuApi* api = g_api.load(std::memory_order_acquire)) return api;
    if (library == nullptr || g_api_failed.load(std::memory_order_acquire)) return nullptr;
#define XCU_USED(name) g_functions.name = reinterpret_cast<declared::name>(dlsym(library, #name));
#define XCU_OPTIONAL(name) g_functions.name = reinterpret_cast<declared::name>(dlsym(library, #name));
#include "platform/cuda/hal/api.def"
    if (const char* missing = missing_function(g_functions)) {
        XLOG_WARN("the CUDA driver has no %s: nothing is scheduled on it (drivers from CUDA 10.1 on have all that is "
                  "needed)", missing);
        g_api_failed.store(true, std::memory_order_release);
        return nullptr;
    }
    g_api.store(&g_functions, std::memory_order_release);
    return &g_functions;
}

}  // namespace xsched::cuda

extern "C" void* xcu_open_driver(void) {
    using namespace xsched::cuda;
    if (g_searched.load(std::memory_order_acquire)) return g_driver;
    xsched::base::Lock lock(g_mutex);
    if (g_searched.load(std::memory_order_acquire)) return g_driver;
    const char* path = xsched::base::options().cuda_lib;
    if (*path != '\0') g_driver = open_named(path);
    if (g_driver == nullptr) g_driver = open_default();
    if (g_driver == nullptr)
        XLOG_INFO("no CUDA driver is installed (%s): programs see no CUDA device; if there is one, name its %s with "
                  "XSCHED_CUDA_LIB", kName, kName);
    g_searched.store(true, std::memory_order_release);
    return g_driver;
}

extern "C" const xsched::cuda::CuApi* xcu_api(void) { return xsched::cuda::vendor_api(); }
