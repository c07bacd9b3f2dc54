// Where the sockets are, and connecting to them: the second half of protocol.h.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "base/say_once.h"
#include "base/unique_fd.h"
#include "ipc/protocol.h"
#include "ipc/user_namespace.h"

namespace xsched::ipc {
namespace {

static_assert(sizeof(sockaddr_un::sun_path) == kSocketPathBytes);

constexpr char kSocketName[] = "xserver.sock";
// A server that is alive accepts within microseconds; its queue of waiting connections may be full for a moment.
constexpr int64_t kAcceptPatienceNs = 500 * base::kMillisecond;

bool copy_path(char* path, const char* text) {
    const size_t bytes = strlen(text);
    if (bytes >= kSocketPathBytes) {
        errno = ENAMETOOLONG;
        static constinit std::atomic<bool> said{false};
        if (said.exchange(true) || !base::is_first_to_say({text})) return false;
        XLOG_WARN("the socket path %s is longer than %u bytes: choose a shorter one with XSCHED_SOCKET", text,
                  kSocketPathBytes - 1);
        return false;
    }
    memcpy(path, text, bytes + 1);
    return true;
}

// Returns whether the directory exists and belongs to this user: sudo and su may leave another user's directories in
// the environment.
bool is_our_directory(const char* directory, struct stat& info) {
    return directory[0] == '/' && stat(directory, &info) == 0 && S_ISDIR(info.st_mode) && is_own_uid(info.st_uid);
}

// The meaning of a directory that does not exist: no server is there, which is no fault (kIsFine), or the directory
// must be made (kIsMade).
enum class Missing { kIsFine, kIsMade };

// Checks that the directory is ours and closed to others: in /tmp any user may have made it first.
bool directory_is_safe(const char* directory, Missing missing, bool warn) {
    const bool create = missing == Missing::kIsMade;
    const mode_t before = create ? umask(0077) : 0;  // without this, a strange umask might lock this user out as well
    const bool made = !create || mkdir(directory, 0700) == 0 || errno == EEXIST;
    const int error = errno;
    if (create) umask(before);
    if (!made) {
        if (warn)
            XLOG_WARN(
                "no runtime directory: %s cannot be made (%s); set XDG_RUNTIME_DIR to a directory of yours, or "
                "XSCHED_SOCKET",
                directory, strerror(error));
        return false;
    }
    struct stat info{};
    if (lstat(directory, &info) != 0) return !create;
    if (S_ISDIR(info.st_mode) && is_own_uid(info.st_uid) && (info.st_mode & 022) == 0) return true;
    if (warn)
        XLOG_WARN(
            "%s is not a directory of this user that is closed to others (owner %u, mode %03o): it is not used; "
            "remove it, or set XSCHED_SOCKET",
            directory, info.st_uid, info.st_mode & 0777);
    return false;
}

// Checks the directory of a socket's path.
bool its_directory_is_safe(const char* path, Missing missing, bool warn) {
    char directory[kSocketPathBytes];
    strcpy(directory, path);
    *strrchr(directory, '/') = '\0';
    return directory_is_safe(directory, missing, warn);
}

// Returns whether a file system is mounted there. No ordinary user of a container can do that.
bool is_mount_point(const char* directory) {
    FILE* file = fopen("/proc/self/mountinfo", "re");
    if (file == nullptr) return false;
    char line[4096];  // a longer line is read in parts, which have no such field in that place
    char place[sizeof(line)];
    bool found = false;
    while (fgets(line, sizeof(line), file) != nullptr)
        found |= sscanf(line, "%*u %*u %*u:%*u %*s %s", place) == 1 && strcmp(place, directory) == 0;
    fclose(file);
    return found;
}

// Returns whether the server may be root's. In a rootless container root's server looks like that of any user without a
// mapping. It is taken for root's if the socket lies where no such user could have put it. If a user of the container
// has that number too, the directory must be one that was mounted into the container.
bool may_be_roots(const char* path, uid_t server) {
    if (server == 0) return true;
    if (server != shown_for_unmapped() || root_is_mapped()) return false;
    char directory[kSocketPathBytes];
    strcpy(directory, path);
    char* end = strrchr(directory, '/');
    if (end == nullptr) return false;
    *end = '\0';
    struct stat info{};
    return stat(directory, &info) == 0 && info.st_uid == server && (info.st_mode & 022) == 0 &&
           faccessat(AT_FDCWD, directory, W_OK, AT_EACCESS) != 0 &&
           (server == unmapped_uid() || is_mount_point(directory));
}

void warn_of_refusal(const char* path, int error) {
    if (error == EACCES)
        XLOG_WARN("no permission on xserver's socket %s: ask its owner, or set XSCHED_SOCKET to another", path);
    else if (error == EPERM)
        XLOG_WARN("the server at %s belongs to another user: it is not used", path);
    else if (error == EAGAIN)
        XLOG_WARN("the server at %s does not accept: it is stopped or overloaded", path);
}

const char* chosen_socket() {
    const char* chosen = secure_getenv("XSCHED_SOCKET");
    return chosen != nullptr && *chosen != '\0' ? chosen : nullptr;
}

}  // namespace

const char* system_socket_path() { return "/run/xsched/xserver.sock"; }

unsigned user_socket_places(char (*paths)[kSocketPathBytes]) {
    unsigned count = 0;
    struct stat runtime{};
    struct stat login{};
    const char* directory = secure_getenv("XDG_RUNTIME_DIR");
    const bool has_runtime = directory != nullptr && is_our_directory(directory, runtime);
    if (has_runtime && snprintf(paths[count], kSocketPathBytes, "%s/xsched/%s", directory, kSocketName) <
                           static_cast<int>(kSocketPathBytes))
        ++count;
    char path[64];
    snprintf(path, sizeof(path), "/run/user/%u", geteuid());
    const bool has_login = is_our_directory(path, login);
    const bool same = has_runtime && has_login && runtime.st_dev == login.st_dev && runtime.st_ino == login.st_ino;
    if (has_login && !same) snprintf(paths[count++], kSocketPathBytes, "%s/xsched/%s", path, kSocketName);
    snprintf(paths[count++], kSocketPathBytes, "/tmp/xsched-%u/%s", geteuid(), kSocketName);
    return count;
}

bool make_socket_directory(const char* socket_path, bool warn) {
    return its_directory_is_safe(socket_path, Missing::kIsMade, warn);
}

bool user_socket_path(char* path, bool create) {
    path[0] = '\0';
    if (const char* chosen = chosen_socket()) return copy_path(path, chosen);
    char places[kMostPlaces][kSocketPathBytes];
    user_socket_places(places);
    if (!its_directory_is_safe(places[0], create ? Missing::kIsMade : Missing::kIsFine, true)) return false;
    strcpy(path, places[0]);
    return true;
}

int connect_path(const char* path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof(address.sun_path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    base::UniqueFd socket_fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket_fd) return -1;
    const int64_t give_up = base::now_ns() + kAcceptPatienceNs;
    while (connect(socket_fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        if (errno != EAGAIN && errno != EINTR) return -1;
        if (base::now_ns() >= give_up) return -1;
        if (errno == EAGAIN) usleep(5000);
    }
    ucred peer{};
    socklen_t bytes = sizeof(peer);
    if (getsockopt(socket_fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) return -1;
    if (!is_own_uid(peer.uid) && !may_be_roots(path, peer.uid)) {
        errno = EPERM;
        return -1;
    }
    return socket_fd.release();
}

int connect_server(char* path, bool warn) {
    char candidates[1 + kMostPlaces][kSocketPathBytes];
    unsigned count = 0;
    unsigned own = 0;  // socket path at which a server of this user would be
    path[0] = '\0';
    if (const char* chosen = chosen_socket()) {
        if (!copy_path(candidates[count++], chosen)) return -1;
    } else {
        strcpy(candidates[count++], system_socket_path());
        own = count;
        count += user_socket_places(candidates + count);
    }
    int own_error = ENOENT;
    for (unsigned i = 0; i < count; ++i) {
        const bool is_place = own != 0 && i >= own;
        if (is_place && !its_directory_is_safe(candidates[i], Missing::kIsFine, warn)) continue;
        const int fd = connect_path(candidates[i]);
        const int error = errno;
        if (fd >= 0 || i == own) strcpy(path, candidates[i]);
        if (fd >= 0) return fd;
        if (i == own) own_error = error;
        if (warn) warn_of_refusal(candidates[i], error);
    }
    errno = own_error;
    return -1;
}

}  // namespace xsched::ipc
