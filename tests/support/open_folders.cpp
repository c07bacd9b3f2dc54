#include "support/open_folders.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "support/own_mounts.h"

namespace xsched::test {
namespace {

namespace fs = std::filesystem;

bool is_closed(const fs::path& folder) {
    struct stat info{};
    return stat(folder.c_str(), &info) == 0 && (info.st_mode & S_IXOTH) == 0;
}

bool bind(const fs::path& from, const fs::path& to) {
    return mount(from.c_str(), to.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

// Sockets, pipes and devices are left out: no test needs one that lies beside the build.
bool bring(const fs::directory_entry& entry, const fs::path& to) {
    std::error_code error;
    if (entry.is_symlink(error)) {
        fs::copy_symlink(entry.path(), to, error);
        return !error;
    }
    if (entry.is_directory(error)) return mkdir(to.c_str(), 0755) == 0 && bind(entry.path(), to);
    if (!entry.is_regular_file(error)) return true;
    const int made = open(to.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    if (made >= 0) close(made);
    return made >= 0 && bind(entry.path(), to);
}

// Puts an empty folder over `folder` and brings each entry of the old one into it. `aside`: an empty folder elsewhere,
// at which the old one can be reached until this returns. Returns whether everything was brought.
bool replace(const fs::path& folder, const fs::path& aside) {
    if (!bind(folder, aside) || mount("none", folder.c_str(), "tmpfs", 0, "mode=0755") != 0) return false;
    bool whole = true;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(aside, error))
        whole = bring(entry, folder / entry.path().filename()) && whole;
    return umount2(aside.c_str(), MNT_DETACH) == 0 && whole && !error;
}

std::string open_one(const fs::path& folder) {
    char aside[] = "/tmp/xsched-aside-XXXXXX";
    const bool opened = mkdtemp(aside) != nullptr && replace(folder, aside);
    const int error = errno;
    rmdir(aside);
    return opened ? ""
                  : "the folder " + folder.string() +
                        " is closed to other users, and no other can stand in its place (" + strerror(error) + ")";
}

}  // namespace

std::string open_folders_above(const std::string& path) {
    if (geteuid() != 0) return "";
    bool own_mounts = false;
    fs::path folder;
    for (const fs::path& part : fs::path(path).parent_path()) {
        folder /= part;
        if (!is_closed(folder)) continue;
        if (!own_mounts && !enter_own_mounts())
            return "the folder " + folder.string() + " is closed to other users, and mounts cannot be made here (" +
                   strerror(errno) + ")";
        own_mounts = true;
        if (const std::string why = open_one(folder); !why.empty()) return why;
    }
    // The working folder still is the one below the new mount. Entering its path again leads to the folder that is
    // mounted there now.
    std::error_code error;
    if (own_mounts) fs::current_path(fs::current_path(error), error);
    return "";
}

}  // namespace xsched::test
