#include "cli/installation.h"

#include <system_error>

#include <filesystem>

#include <unistd.h>

namespace xsched::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOpenclShim = "libshimopencl.so";
constexpr const char* kShims[] = {kOpenclShim, "libshimcuda.so", "libshimhip.so", "libshimlevelzero.so"};

}  // namespace

Installation find_installation() {
    Installation found;
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error) return found;
    const fs::path server = self.parent_path() / "xserver";
    if (access(server.c_str(), X_OK) == 0) found.server = server;
    const fs::path libraries = self.parent_path().parent_path() / "lib";
    found.library_directory = libraries;
    for (const char* name : kShims) {
        const fs::path shim = libraries / name;
        if (!fs::is_regular_file(shim, error)) continue;
        found.shims.push_back(shim);
        if (name == kOpenclShim) found.opencl_shim = shim;
    }
    return found;
}

}  // namespace xsched::cli
