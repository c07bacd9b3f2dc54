#include "platform/hip/hal/vendor_library.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstring>

#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/stream/hal/library_search.h"

namespace xsched::hip {
namespace {

// Newest first. Programs of ROCm 5, 6 and 7 need one of the numbered ones; wheels of PyTorch bring the last.
constexpr const char* kNames[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};
constexpr const char* kFolders[] = {"/opt/rocm/lib", "/opt/rocm/hip/lib", nullptr};
// Exported by our shim and by no runtime.
constexpr const char* kShimMark = "hipXSchedShim";

constinit base::Mutex g_mutex;
constinit std::atomic<bool> g_searched{false};
constinit void* g_driver = nullptr;
constinit std::atomic<const HipApi*> g_api{nullptr};
constinit std::atomic<bool> g_api_failed{false};
constinit HipApi g_functions{};

// What is wrong with the library as a HIP runtime; nullptr: nothing. (Its own symbols count, not those of libraries
// that it needs.)
const char* objection(void* library) {
    if (symbol_in(library, kShimMark) != nullptr) return "it is XSched's own shim";
    if (symbol_in(library, "hipInit") == nullptr) return "it has no hipInit, so it is not a HIP runtime";
    return nullptr;
}

// Global, so that functions of a newer runtime which our shim does not export are found by programs linked to them.
void* open_file(const char* path, int how = 0) { return dlopen(path, RTLD_NOW | RTLD_GLOBAL | how); }

void* open_named(const char* path) {
    void* library = open_file(path);
    const char* reason = library == nullptr ? dlerror() : objection(library);
    if (reason == nullptr && library != nullptr) return library;
    XLOG_WARN(
        "XSCHED_HIP_LIB=%s is not used: %s; going on with the %s that the process has or the dynamic linker finds",
        path, reason != nullptr ? reason : "it cannot be loaded", kNames[3]);
    if (library != nullptr) dlclose(library);
    return nullptr;
}

bool accept(void* library, const char* path, void* result) {
    if (library == nullptr) return false;
    if (objection(library) != nullptr) {
        dlclose(library);
        return false;
    }
    XLOG_DEBG("the HIP runtime is %s", path);
    *static_cast<void**>(result) = library;
    return true;
}

bool try_file(const char* path, void* result) { return accept(open_file(path), path, result); }

int try_loaded(dl_phdr_info* info, size_t, void* result) {
    const char* name = info->dlpi_name != nullptr ? std::strrchr(info->dlpi_name, '/') : nullptr;
    name = name != nullptr ? name + 1 : info->dlpi_name;
    if (name == nullptr || std::strncmp(name, kNames[3], std::strlen(kNames[3])) != 0) return 0;
    const size_t bytes = std::strlen(info->dlpi_name) + 1;
    auto& path = *static_cast<char(*)[stream::kPathBytes]>(result);
    // Opened after the walk: the linker's lock is held here. A shim that bears the name is looked at there, and passed
    // by.
    if (bytes <= sizeof path - std::strlen(path) - 2) std::memcpy(path + std::strlen(path), info->dlpi_name, bytes);
    path[std::strlen(path) + 1] = '\0';
    path[std::strlen(path)] = '\n';
    return 0;
}

// The one that the program was linked to, or has opened: its memory and streams are that one's.
void* open_loaded() {
    char paths[stream::kPathBytes] = "";
    dl_iterate_phdr(try_loaded, &paths);
    void* library = nullptr;
    for (char* path = paths; *path != '\0' && library == nullptr;) {
        char* end = std::strchr(path, '\n');
        if (end == nullptr) break;
        *end = '\0';
        accept(open_file(path, RTLD_NOLOAD), path, &library);
        path = end + 1;
    }
    return library;
}

void* open_default() {
    void* library = open_loaded();
    for (const char* name : kNames)
        // Without a shim of that name the linker's own answer is the right one.
        if (library != nullptr || try_file(name, &library) ||
            stream::for_each_library_file(name, kFolders, try_file, &library))
            break;
    return library;
}

void* no_symbol(void*, const char*) { return nullptr; }

Dlsym find_dlsym() {
    for (const char* library : {"libc.so.6", "libdl.so.2"}) {
        void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        if (handle == nullptr) continue;
        for (const char* version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"})
            if (void* found = dlvsym(handle, "dlsym", version)) return reinterpret_cast<Dlsym>(found);
    }
    return &no_symbol;
}

}  // namespace

Dlsym real_dlsym() {
    static constinit std::atomic<Dlsym> found{nullptr};
    Dlsym function = found.load(std::memory_order_relaxed);
    if (function == nullptr) {
        function = find_dlsym();
        found.store(function, std::memory_order_relaxed);
    }
    return function;
}

const HipApi* vendor_api() {
    if (const HipApi* api = g_api.load(std::memory_order_acquire)) return api;
    if (g_api_failed.load(std::memory_order_acquire)) return nullptr;
    void* library = xhip_open_driver();
    base::Lock lock(g_mutex);
    if (const HipApi* api = g_api.load(std::memory_order_acquire)) return api;
    if (library == nullptr || g_api_failed.load(std::memory_order_acquire)) return nullptr;
#define XHIP_USED(name) g_functions.name = reinterpret_cast<declared::name>(symbol_in(library, #name));
#define XHIP_OPTIONAL(name) g_functions.name = reinterpret_cast<declared::name>(symbol_in(library, #name));
#include "platform/hip/hal/api.def"
    if (const char* missing = missing_function(g_functions)) {
        XLOG_WARN("the HIP runtime has no %s: nothing is scheduled on it (runtimes from ROCm 5.2 on have all that is "
                  "needed)", missing);
        g_api_failed.store(true, std::memory_order_release);
        return nullptr;
    }
    g_api.store(&g_functions, std::memory_order_release);
    return &g_functions;
}

}  // namespace xsched::hip

extern "C" void* xhip_open_driver(void) {
    using namespace xsched::hip;
    if (g_searched.load(std::memory_order_acquire)) return g_driver;
    xsched::base::Lock lock(g_mutex);
    if (g_searched.load(std::memory_order_acquire)) return g_driver;
    const char* path = xsched::base::options().hip_lib;
    if (*path != '\0') g_driver = open_named(path);
    if (g_driver == nullptr) g_driver = open_default();
    if (g_driver == nullptr)
        XLOG_INFO(
            "no HIP runtime is installed (%s, .6 or .5): programs see no HIP device; if there is one, name it with "
            "XSCHED_HIP_LIB",
            kNames[0]);
    g_searched.store(true, std::memory_order_release);
    return g_driver;
}

extern "C" const xsched::hip::HipApi* xhip_api(void) { return xsched::hip::vendor_api(); }
extern "C" XhipDlsym xhip_real_dlsym(void) { return xsched::hip::real_dlsym(); }
extern "C" void* xhip_dlsym(void* library, const char* name) { return xsched::hip::symbol_in(library, name); }
