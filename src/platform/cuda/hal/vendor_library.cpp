#include "platform/stream/hal/vendor_library.h"

#include "base/log.h"
#include "base/options.h"
#include "host/library_search.h"

namespace xsched::stream {
namespace {

constexpr const char* kName = "libcuda.so.1";
constexpr const char* kFolders[] = {"/usr/local/nvidia/lib64",
                                    "/usr/local/nvidia/lib",
                                    "/usr/local/cuda/compat",
                                    "/usr/lib/wsl/lib",
                                    "/opt/nvidia/lib64",
                                    "/run/opengl-driver/lib",
                                    nullptr};

}  // namespace

constinit const VendorLibrary kVendorLibrary{"CUDA driver", "XSCHED_CUDA_LIB",
                                             "libcuda.so.1 that the dynamic linker finds", "drivers from CUDA 10.1 on"};

// Finds the library. Without our shim in the process the linker's own answer is right.
void* find_library() {
    void* library = nullptr;
    if (try_file(kName, &library) || for_each_library_file(kName, kFolders, try_file, &library)) return library;
    return nullptr;
}

const char* chosen_library() { return base::options().cuda_lib; }

void say_no_library() {
    XLOG_INFO("no CUDA driver is installed (%s): programs see no CUDA device; if there is one, name its %s with %s",
              kName, kName, kVendorLibrary.variable);
}

}  // namespace xsched::stream
