#include "server/inherited_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace xsched::server {
namespace {

constexpr int kFirstInherited = 3;  // sd_listen_fds(3)
constexpr long kMostInherited = 16;  // "safety": the units have one or two

long variable(const char* name) {
    const char* value = getenv(name);
    return value != nullptr ? strtol(value, nullptr, 10) : 0;
}

std::string path_of(int socket) {
    sockaddr_un address{};
    socklen_t bytes = sizeof(address);
    int type = 0;
    int listens = 0;
    socklen_t one = sizeof(int);
    if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &one) != 0 || type != SOCK_SEQPACKET) return "";
    if (getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &one) != 0 || listens == 0) return "";
    if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &bytes) != 0 || address.sun_family != AF_UNIX)
        return "";
    return {address.sun_path, strnlen(address.sun_path, bytes - offsetof(sockaddr_un, sun_path))};
}

}  // namespace

base::UniqueFd inherited_socket(const std::string& path) {
    if (variable("LISTEN_PID") != getpid()) return {};
    const int end = kFirstInherited + static_cast<int>(std::clamp(variable("LISTEN_FDS"), 0L, kMostInherited));
    for (int fd = kFirstInherited; fd < end; ++fd) {
        if (path_of(fd) != path) continue;
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
        return base::UniqueFd(fd);
    }
    return {};
}

}  // namespace xsched::server
