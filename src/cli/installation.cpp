#include "cli/installation.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace xsched::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCore = "libpreempt.so.1";

// Folders of libraries relative to the folder of the programs: the configured one, and that of a build tree. (An
// absolute path stands for itself.)
constexpr const char* kLibraryFolders[] = {XSCHED_LIBRARIES, "../lib"};
constexpr const char* kDataFolders[] = {XSCHED_DATA, "../share"};
constexpr const char* kReports[] = {XSCHED_DATA "/xsched/report/own_programs.py",
                                    "../share/xsched/report/own_programs.py"};

// Returns the folder of libraries without "..", since it goes into LD_PRELOAD and is shown.
fs::path library_folder(const fs::path& programs) {
    std::error_code error;
    fs::path folder;
    for (const char* place : kLibraryFolders) {
        folder = (programs / place).lexically_normal();
        if (fs::exists(folder / kCore, error)) break;
    }
    return folder;
}

// Returns the shim's name for LD_PRELOAD, with $LIB in it. glibc's linker replaces $LIB by "lib", "lib64" or the
// architecture's folder, which all lead to the shim (cmake/install_layout.cmake). musl's linker does not know $LIB and
// skips the missing library; if it found the shim, it would fail to load it and end the program. So a shell's children
// may use either.
std::string preload_name(const fs::path& shim) {
    std::error_code error;
    const fs::path target = fs::read_symlink(shim, error);
    const fs::path folder = (error ? shim : shim.parent_path() / target).parent_path();
    const bool linked =
        fs::exists(folder / "lib" / shim.filename(), error) && fs::exists(folder / "lib64" / shim.filename(), error);
    return linked ? folder / "$LIB" / shim.filename() : shim;
}

std::string report_program(const fs::path& programs) {
    std::error_code error;
    fs::path found;
    for (const char* place : kReports) {
        found = (programs / place).lexically_normal();
        if (fs::exists(found, error)) break;
    }
    return found;
}

std::string data_folder(const fs::path& programs) {
    std::error_code error;
    for (const char* place : kDataFolders) {
        const fs::path found = (programs / place).lexically_normal();
        if (fs::exists(found / "vulkan/implicit_layer.d/xsched.json", error)) return found;
    }
    return "";
}

}  // namespace

std::string page(const std::string& name) {
    std::error_code error;
    const fs::path programs = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* place : kDataFolders)
        if (const fs::path found = (programs / place).lexically_normal() / "doc/xsched/docs" / name;
            fs::exists(found, error))
            return found;
    return name;
}

Installation find_installation() {
    Installation found;
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error) return found;
    const fs::path server = self.parent_path() / "xserver";
    if (access(server.c_str(), X_OK) == 0) found.server = server;
    const fs::path simulator = self.parent_path() / "xsim";
    if (access(simulator.c_str(), X_OK) == 0) found.simulator = simulator;
    found.report = report_program(self.parent_path());
    found.data = data_folder(self.parent_path());
    const fs::path libraries = library_folder(self.parent_path());
    found.library_directory = libraries;
    for (const PlatformInfo& platform : kPlatforms) {
        const fs::path shim = libraries / platform.shim;
        if (fs::is_regular_file(shim, error)) found.shims.push_back({shim, preload_name(shim), &platform});
    }
    return found;
}

}  // namespace xsched::cli
