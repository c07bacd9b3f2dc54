#include "cli/installation.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace xsched::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCore = "libpreempt.so.1";

// Seen from the folder of the programs: the configured place, and that of a build tree. (A path from the root stands
// for itself.)
constexpr const char* kLibraryFolders[] = {XSCHED_LIBRARIES, "../lib"};
constexpr const char* kReports[] = {XSCHED_DATA "/xsched/report/own_programs.py",
                                    "../share/xsched/report/own_programs.py"};

// Without "..": it is put into LD_PRELOAD and shown.
fs::path library_folder(const fs::path& programs) {
    std::error_code error;
    fs::path folder;
    for (const char* place : kLibraryFolders) {
        folder = (programs / place).lexically_normal();
        if (fs::exists(folder / kCore, error)) break;
    }
    return folder;
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

}  // namespace

Installation find_installation() {
    Installation found;
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error) return found;
    const fs::path server = self.parent_path() / "xserver";
    if (access(server.c_str(), X_OK) == 0) found.server = server;
    found.report = report_program(self.parent_path());
    const fs::path libraries = library_folder(self.parent_path());
    found.library_directory = libraries;
    for (const PlatformInfo& platform : kPlatforms) {
        const fs::path shim = libraries / platform.shim;
        if (fs::is_regular_file(shim, error)) found.shims.push_back({shim, &platform});
    }
    return found;
}

}  // namespace xsched::cli
