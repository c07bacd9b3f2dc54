// A listening socket in the place of xserver's, which the test may answer or leave unanswered.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>

namespace xsched::test {

// Returns a descriptor that listens at `path`; -1 if it cannot.
inline int listen_on(const std::string& path, int backlog = 8) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && listen(fd, backlog) == 0) return fd;
    close(fd);
    return -1;
}

}  // namespace xsched::test
