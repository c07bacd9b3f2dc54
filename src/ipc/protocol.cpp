#include "ipc/protocol.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/clock.h"

namespace xsched::ipc {
namespace {

// Returns the milliseconds left until `until_ns`, rounded up, at least 0.
int left_ms(int64_t until_ns) {
    const int64_t left = until_ns - base::now_ns();
    return left <= 0 ? 0 : static_cast<int>((left + base::kMillisecond - 1) / base::kMillisecond);
}

bool wait_readable(int socket, int timeout_ms) {
    const int64_t until = base::now_ns() + timeout_ms * base::kMillisecond;
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

const char* welcome_sentence(WelcomeStatus status) {
    switch (status) {
        case WelcomeStatus::kAccepted: return "accepted";
        case WelcomeStatus::kWrongVersion:
            return "xserver speaks another version of the protocol: install the same version of both and restart it";
        case WelcomeStatus::kWrongUser:
            return "xserver belongs to another user and takes only that user's programs: start your own, or a system "
                   "server (xserver --system)";
        case WelcomeStatus::kFull:
            return "xserver serves as many processes as it can: end some of them, or start another server and name it "
                   "in XSCHED_SOCKET";
        case WelcomeStatus::kBadHello:
            return "xserver did not understand the handshake: is XSCHED_SOCKET the socket of an xserver of this "
                   "version?";
        case WelcomeStatus::kNoMemory:
            return "xserver has no memory or descriptors left for another process: see its log";
        case WelcomeStatus::kUserFull:
            return "your programs and tools have as many connections to xserver as they may ('xcli status --limits'): "
                   "end "
                   "some of them, or let the administrator raise the limit ('xcli limit')";
        case WelcomeStatus::kNever:
            return "a rule of the configuration says that this program is never scheduled ('xcli rules')";
    }
    return "xserver answered with a status that this version does not know: install the same version of both";
}

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

bool shake_hands(int socket, PeerKind kind, const char* program, Welcome* welcome, int* region_fd, int timeout_ms) {
    if (region_fd != nullptr) *region_fd = -1;
    Hello hello{kMagic, kVersion, sizeof(Hello), kind, {}, getpid()};
    strncpy(hello.program, program, sizeof(hello.program) - 1);
    if (!send_packet(socket, &hello, sizeof(hello))) return false;
    const long got = receive_packet(socket, welcome, sizeof(*welcome), region_fd, timeout_ms);
    if (got == static_cast<long>(sizeof(*welcome)) && welcome->magic == kMagic) return true;
    if (region_fd != nullptr && *region_fd >= 0) close(*region_fd);
    if (region_fd != nullptr) *region_fd = -1;
    if (got >= 0) errno = got == 0 ? ECONNRESET : EPROTO;
    return false;
}

bool say_mapped(int socket, const Welcome& welcome) {
    const Mapped mapped{kMagic, kVersion, sizeof(Mapped), welcome.client_id};
    return send_packet(socket, &mapped, sizeof(mapped));
}

}  // namespace xsched::ipc
