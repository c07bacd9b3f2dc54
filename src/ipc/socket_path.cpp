// Where the sockets are, and connecting to them: the second half of protocol.h.
#include "ipc/protocol.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/unique_fd.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace xsched::ipc {
namespace {

static_assert(sizeof(sockaddr_un::sun_path) == kSocketPathBytes);

constexpr char kSocketName[] = "xserver.sock";
// A server that is alive accepts within microseconds; its queue of waiting connections may be full for a moment.
constexpr int64_t kAcceptPatienceNs = 500 * base::kMillisecond;

bool copy_path(char* path, const char* text) {
    const size_t bytes = strlen(text);
    if (bytes >= kSocketPathBytes) {
        XLOG_WARN("the socket path %s is longer than %u bytes: choose a shorter one with XSCHED_SOCKET", text,
                  kSocketPathBytes - 1);
        return false;
    }
    memcpy(path, text, bytes + 1);
    return true;
}

// $XDG_RUNTIME_DIR if it is there and ours (sudo and su may leave another user's in the environment).
const char* runtime_directory() {
    const char* directory = secure_getenv("XDG_RUNTIME_DIR");
    struct stat info {};
    if (directory == nullptr || directory[0] != '/' || stat(directory, &info) != 0) return nullptr;
    return S_ISDIR(info.st_mode) && info.st_uid == geteuid() ? directory : nullptr;
}

// In /tmp anybody may have made the directory first: it must be ours and closed to others.
bool directory_is_safe(const char* directory, bool create) {
    if (create && mkdir(directory, 0700) != 0 && errno != EEXIST) {
        XLOG_WARN(
            "no runtime directory: %s cannot be made (%s); set XDG_RUNTIME_DIR to a directory of yours, or "
            "XSCHED_SOCKET",
            directory, strerror(errno));
        return false;
    }
    struct stat info {};
    if (lstat(directory, &info) != 0) return !create;  // not there: nobody listens, which is no fault
    if (S_ISDIR(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 022) == 0) return true;
    XLOG_WARN(
        "%s is not a directory of this user that is closed to others (owner %u, mode %03o): it is not used; "
        "remove it, or set XSCHED_SOCKET",
        directory, info.st_uid, info.st_mode & 0777);
    return false;
}

}  // namespace

const char* system_socket_path() { return "/run/xsched/xserver.sock"; }

bool user_socket_path(char* path, bool create) {
    path[0] = '\0';
    const char* chosen = secure_getenv("XSCHED_SOCKET");
    if (chosen != nullptr && *chosen != '\0') return copy_path(path, chosen);
    char directory[4096];
    const char* runtime = runtime_directory();
    const int bytes = runtime != nullptr ? snprintf(directory, sizeof(directory), "%s/xsched", runtime)
                                         : snprintf(directory, sizeof(directory), "/tmp/xsched-%u", geteuid());
    if (bytes < 0 || static_cast<size_t>(bytes) + 1 + sizeof(kSocketName) > sizeof(directory)) {
        XLOG_WARN("XDG_RUNTIME_DIR is too long for a socket path: set XSCHED_SOCKET to a path below %u bytes",
                  kSocketPathBytes);
        return false;
    }
    if (!directory_is_safe(directory, create)) return false;
    directory[bytes] = '/';
    memcpy(directory + bytes + 1, kSocketName, sizeof(kSocketName));
    return copy_path(path, directory);
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
    if (peer.uid != geteuid() && peer.uid != 0) {
        errno = EPERM;
        return -1;
    }
    return socket_fd.release();
}

int connect_server(char* path) {
    char candidates[2][kSocketPathBytes];
    unsigned count = 0;
    const char* chosen = secure_getenv("XSCHED_SOCKET");
    if (chosen == nullptr || *chosen == '\0') strcpy(candidates[count++], system_socket_path());
    if (user_socket_path(candidates[count], false)) ++count;
    path[0] = '\0';
    for (unsigned i = 0; i < count; ++i) {
        strcpy(path, candidates[i]);
        const int fd = connect_path(path);
        if (fd >= 0) return fd;
        if (errno == EACCES)
            XLOG_WARN("no permission on xserver's socket %s: ask its owner, or set XSCHED_SOCKET to another", path);
        else if (errno == EPERM)
            XLOG_WARN("the server at %s belongs to another user: it is not used", path);
        else if (errno == EAGAIN)
            XLOG_WARN("the server at %s does not accept: it is stopped or overloaded", path);
    }
    return -1;
}

}  // namespace xsched::ipc
