#include "config/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/unique_fd.h"

namespace xsched::config {
namespace {

// Most bytes of a configuration file ("safety"): all rules of a large site take a few kB. A larger file was probably
// named by mistake, and must not be read into memory.
constexpr off_t kMostBytes = 256 << 10;
constexpr size_t kMostFiles = 64;
constexpr mode_t kOthersMayWrite = S_IWGRP | S_IWOTH;

std::string variable(const char* name) {
    const char* value = secure_getenv(name);
    return value != nullptr ? value : "";
}

// Returns why a file or folder is not used; empty: it may be used.
std::string why_not(const struct stat& info, const std::string& path) {
    if (info.st_uid != 0 && info.st_uid != geteuid())
        return "it belongs to uid " + std::to_string(info.st_uid) + ", who could change it: 'chown " +
               std::to_string(geteuid()) + " " + path + "' makes it yours";
    const bool is_sticky = S_ISDIR(info.st_mode) && (info.st_mode & S_ISVTX) != 0;
    if ((info.st_mode & kOthersMayWrite) != 0 && !is_sticky)
        return "other users may write to it: 'chmod go-w " + path + "' prevents that";
    return "";
}

// Returns the names of the folder's files, sorted.
std::vector<std::string> names_in(const std::string& folder, std::vector<Problem>& problems) {
    std::vector<std::string> names;
    struct stat info{};
    DIR* open = opendir(folder.c_str());
    if (open == nullptr) {
        if (errno != ENOENT && errno != ENOTDIR) problems.push_back({folder, strerror(errno)});
        return names;
    }
    const std::string why = fstat(dirfd(open), &info) == 0 ? why_not(info, folder) : strerror(errno);
    if (!why.empty()) problems.push_back({folder, why + "; no file in it counts"});
    while (const dirent* entry = why.empty() ? readdir(open) : nullptr) {
        const std::string name = entry->d_name;
        if (name.size() > 5 && name.front() != '.' && name.ends_with(".toml")) names.push_back(name);
    }
    closedir(open);
    std::sort(names.begin(), names.end());
    if (names.size() > kMostFiles) {
        problems.push_back({folder, "it has more than " + std::to_string(kMostFiles) + " files: the rest is left out"});
        names.resize(kMostFiles);
    }
    return names;
}

}  // namespace

Folders folders(bool system) {
    const std::string named = variable("XSCHED_CONFIG");
    const std::string home = variable("HOME");
    const std::string configs = variable("XDG_CONFIG_HOME");
    Folders found{"/etc/xsched", ""};
    if (!named.empty()) {
        const size_t colon = std::min(named.find(':'), named.size());
        found = {named.substr(0, colon), colon < named.size() ? named.substr(colon + 1) : ""};
    } else if (configs.rfind('/', 0) == 0) {
        found.users = configs + "/xsched";
    } else if (home.rfind('/', 0) == 0) {
        found.users = home + "/.config/xsched";
    }
    if (system) found.users.clear();
    return found;
}

bool read_file(const std::string& path, std::string* text, std::vector<Problem>& problems) {
    const base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat info{};
    std::string why;
    if (!file || fstat(file.get(), &info) != 0)
        why = strerror(errno);
    else if (!S_ISREG(info.st_mode))
        why = "it is no file";
    else if (why = why_not(info, path); why.empty() && info.st_size > kMostBytes)
        why = "it has more than " + std::to_string(kMostBytes >> 10) + " KiB";
    if (why.empty()) {
        text->resize(static_cast<size_t>(info.st_size));
        const ssize_t bytes = pread(file.get(), text->data(), text->size(), 0);
        if (bytes < 0) why = strerror(errno);
        text->resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
    }
    if (!why.empty()) problems.push_back({path, why + "; nothing of it counts"});
    return why.empty();
}

std::vector<File> read_files(const Folders& folders, std::vector<Problem>& problems) {
    std::vector<File> files;
    const auto add = [&](const std::string& folder, bool is_users) {
        if (folder.empty()) return;
        for (const std::string& name : names_in(folder, problems)) {
            File file{folder + "/" + name, "", is_users};
            if (read_file(file.path, &file.text, problems)) files.push_back(std::move(file));
        }
    };
    add(folders.administrators, false);
    add(folders.users, true);
    return files;
}

}  // namespace xsched::config
