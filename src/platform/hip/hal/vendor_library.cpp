#include "platform/stream/hal/vendor_library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/log.h"
#include "base/options.h"
#include "host/library_search.h"
#include "platform/hip/hal/hal_abi.h"

namespace xsched::stream {
namespace {

// Newest first. Programs of ROCm 5, 6 and 7 need one of the numbered ones; wheels of PyTorch bring the one without a
// number. Hygon's DTK gives its runtime, which is made from ROCm's, a name of its own.
constexpr const char* kNames[] = {"libamdhip64.so.7", "libamdhip64.so.6",  "libamdhip64.so.5",
                                  "libamdhip64.so",   "libgalaxyhip.so.5", "libgalaxyhip.so"};
constexpr const char* kLoadedNames[] = {"libamdhip64.so", "libgalaxyhip.so"};  // any version of these
constexpr const char* kFolders[] = {"/opt/rocm/lib", "/opt/rocm/hip/lib", nullptr};

int try_loaded(dl_phdr_info* info, size_t, void* result) {
    const char* name = info->dlpi_name != nullptr ? std::strrchr(info->dlpi_name, '/') : nullptr;
    name = name != nullptr ? name + 1 : info->dlpi_name;
    const auto is_called = [name](const char* start) { return std::strncmp(name, start, std::strlen(start)) == 0; };
    if (name == nullptr || std::none_of(std::begin(kLoadedNames), std::end(kLoadedNames), is_called)) return 0;
    const size_t bytes = std::strlen(info->dlpi_name) + 1;
    auto& path = *static_cast<char(*)[kPathBytes]>(result);
    // Only the path is copied here, since the dynamic linker's lock is held. The libraries are opened after the walk,
    // and a shim with the runtime's name is skipped then.
    if (bytes <= sizeof path - std::strlen(path) - 2) std::memcpy(path + std::strlen(path), info->dlpi_name, bytes);
    path[std::strlen(path) + 1] = '\0';
    path[std::strlen(path)] = '\n';
    return 0;
}

// Opens the runtime that the program was linked to or has loaded: the program's memory and streams belong to that one.
void* open_loaded() {
    char paths[kPathBytes] = "";
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

}  // namespace

constinit const VendorLibrary kVendorLibrary{"HIP runtime", "XSCHED_HIP_LIB",
                                             "libamdhip64.so that the process has or the dynamic linker finds",
                                             "runtimes from ROCm 5.2 on"};

// Finds the vendor's library; one that the process has loaded already comes first.
void* find_library() {
    void* library = open_loaded();
    for (const char* name : kNames)
        // The dynamic linker is asked for a name first. If it finds a shim instead of the runtime, the library
        // folders are searched.
        if (library != nullptr || try_file(name, &library) || for_each_library_file(name, kFolders, try_file, &library))
            break;
    return library;
}

const char* chosen_library() { return base::options().hip_lib; }

void say_no_library() {
    XLOG_INFO(
        "no HIP runtime is installed (%s, .6 or .5): programs see no HIP device; if there is one, name it with %s",
        kNames[0], kVendorLibrary.variable);
}

}  // namespace xsched::stream
