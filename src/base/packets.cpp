#include "base/packets.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/clock.h"

namespace xsched::base {
namespace {

// Returns the milliseconds left until `until_ns`, rounded up, at least 0.
int left_ms(int64_t until_ns) {
    const int64_t left = until_ns - now_ns();
    return left <= 0 ? 0 : static_cast<int>((left + kMillisecond - 1) / kMillisecond);
}

bool wait_readable(int socket, int timeout_ms) {
    const int64_t until = now_ns() + timeout_ms * kMillisecond;
    for (;;) {
        pollfd waiting{socket, POLLIN, 0};
        const int ready = poll(&waiting, 1, left_ms(until));
        if (ready > 0) return true;
        if (ready == 0) {
            errno = ETIMEDOUT;
            return false;
        }
        if (errno != EINTR) return false;
    }
}

// Returns the first descriptor of the message, or -1. Closes any others.
int take_descriptor(msghdr& message) {
    int taken = -1;
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; ++i) {
            int fd = -1;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(fd));
            if (taken < 0)
                taken = fd;
            else
                close(fd);
        }
    }
    return taken;
}

}  // namespace

bool send_packet(int socket, const void* data, size_t bytes, int fd) {
    iovec content{const_cast<void*>(data), bytes};
    msghdr message{};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    if (fd >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        cmsghdr* part = CMSG_FIRSTHDR(&message);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(part), &fd, sizeof(fd));
    }
    ssize_t sent = -1;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    return sent == static_cast<ssize_t>(bytes);
}

long receive_packet(int socket, void* data, size_t bytes, int* fd, int timeout_ms) {
    if (fd != nullptr) *fd = -1;
    if (timeout_ms > 0 && !wait_readable(socket, timeout_ms)) return -1;
    iovec content{data, bytes};
    msghdr message{};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    if (fd != nullptr) {
        message.msg_control = control;
        message.msg_controllen = CMSG_LEN(sizeof(int));
    }
    ssize_t got = -1;
    do {
        got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return -1;
    if (fd != nullptr) *fd = take_descriptor(message);
    if ((message.msg_flags & MSG_TRUNC) != 0) {
        if (fd != nullptr && *fd >= 0) close(*fd);
        if (fd != nullptr) *fd = -1;
        errno = EMSGSIZE;
        return -1;
    }
    return got;
}

}  // namespace xsched::base
