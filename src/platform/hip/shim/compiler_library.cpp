// hiprtc, the compiler at run time. libamdhip64 exports its functions up to ROCm 6; from 7.0 on libhiprtc alone does.
// The shim exports them for programs of ROCm 5 and 6 that find it under the runtime's name. It hides libhiprtc's own
// from every program that is linked to that. So those go there.
#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "host/library_search.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/stream/shim/no_driver.h"

namespace xsched::stream {
namespace {

constexpr const char* kCompilers[] = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so"};
constexpr char kAnyVersion[] = "libhiprtc.so";

// Copies the path of the first loaded libhiprtc to `path`, a char[kPathBytes].
int copy_path(dl_phdr_info* info, size_t, void* path) {
    const char* slash = info->dlpi_name != nullptr ? std::strrchr(info->dlpi_name, '/') : nullptr;
    if (slash == nullptr || std::strncmp(slash + 1, kAnyVersion, sizeof kAnyVersion - 1) != 0) return 0;
    const size_t bytes = std::strlen(info->dlpi_name) + 1;
    if (bytes > kPathBytes) return 0;
    std::memcpy(path, info->dlpi_name, bytes);
    return 1;
}

// Returns the compiler's library, nullptr if there is none. A program that needs libhiprtc has loaded it, perhaps with
// RTLD_LOCAL: then that one is taken. A program of ROCm 5 or 6 has not loaded it, since its runtime contained the
// compiler: then it is loaded here.
void* open_compiler() {
    char path[kPathBytes];
    if (dl_iterate_phdr(copy_path, path) != 0) return dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    void* library = nullptr;
    for (const char* name : kCompilers)
        if (library == nullptr) library = dlopen(name, RTLD_NOW);
    return library;
}

}  // namespace

void* companion_symbol(const char* name) {
    if (std::strncmp(name, "hiprtc", 6) != 0) return nullptr;
    void* library = open_compiler();  // stays open
    return library != nullptr ? hal_dlsym()(library, name) : nullptr;
}

}  // namespace xsched::stream
