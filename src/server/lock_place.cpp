#include "server/lock_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace xsched::server {
namespace {

bool is_ours(const std::string& directory) {
    struct stat info{};
    return lstat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & 022) == 0;
}

std::string own_directory() {
    const std::string user = std::to_string(geteuid());
    if (geteuid() != 0 && is_ours("/run/user/" + user)) return "/run/user/" + user;
    for (const std::string& place : {geteuid() == 0 ? std::string("/run/xsched") : "", "/tmp/xsched-" + user}) {
        if (place.empty()) continue;
        if (mkdir(place.c_str(), geteuid() == 0 ? 0755 : 0700) != 0 && errno != EEXIST) continue;
        if (is_ours(place)) return place;
    }
    throw std::runtime_error(
        "/tmp/xsched-" + user +
        " is not a directory of this user that is closed to others, and a lock is to be kept there: "
        "remove it, or choose a socket in a directory of your own with --socket");
}

// Returns an FNV-1a hash, so that the names of locks differ.
uint64_t hash_of(const std::string& text) {
    uint64_t hash = 14695981039346656037ULL;
    for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
    return hash;
}

}  // namespace

std::string parent_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

bool is_shared_directory(const std::string& directory) {
    struct stat info{};
    return stat(directory.c_str(), &info) == 0 && (info.st_mode & 022) != 0;
}

std::string lock_path(const std::string& socket) {
    const std::string directory = parent_of(socket);
    if (!is_shared_directory(directory)) return socket + ".lock";
    char* real = realpath(directory.c_str(), nullptr);  // a directory may be reached by several names
    const std::string whole = (real != nullptr ? std::string(real) : directory) + socket.substr(socket.rfind('/') + 1);
    free(real);
    char name[40];
    snprintf(name, sizeof(name), "/%016llx.lock", static_cast<unsigned long long>(hash_of(whole)));
    return own_directory() + name;
}

}  // namespace xsched::server
