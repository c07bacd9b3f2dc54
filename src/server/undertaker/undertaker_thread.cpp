#include "server/undertaker/undertaker_thread.h"

#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "server/rules/process_facts.h"

namespace xsched::server {
namespace {

constexpr int kInterruption = SIGUSR1;

void do_nothing(int) {}

// Installs the handler of the signal that ends a linger. It does nothing, and interrupted calls are not restarted.
void take_interruptions() {
    struct sigaction action{};
    action.sa_handler = do_nothing;
    sigaction(kInterruption, &action, nullptr);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, kInterruption);
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

// Interrupts this thread every millisecond while it runs.
class Interruptions {
public:
    Interruptions() {
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = kInterruption;
        event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
        made_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
    }
    ~Interruptions() {
        if (made_) timer_delete(timer_);
    }
    void set(bool on) {
        const timespec every{0, on ? base::kMillisecond : 0};
        const itimerspec times{every, every};
        if (made_) timer_settime(timer_, 0, &times, nullptr);
    }

private:
    timer_t timer_{};
    bool made_ = false;
};

// Gives this thread its own descriptor table, in which only `socket` is open. Returns false if that is forbidden (a
// sandbox): then it works on the server's table.
bool leave_table(int socket) {
#if defined(__SANITIZE_THREAD__)
    (void)socket;
    return false;  // this sanitizer confuses equal descriptor numbers of two threads
#endif
    if (unshare(CLONE_FILES) != 0) return false;
    if (socket > 0) close_range(0, static_cast<unsigned>(socket) - 1, 0);
    close_range(static_cast<unsigned>(socket) + 1, ~0U, 0);
    return true;
}

bool await_start(int socket) {
    char letter;
    ssize_t bytes = -1;
    do bytes = recv(socket, &letter, 1, 0);
    while (bytes < 0 && errno == EINTR);
    return bytes == 1;
}

void reply(int socket, const BurialReply& head, const std::string& packet = {}, int fd = -1) {
    std::string text(sizeof(BurialReply), '\0');
    memcpy(text.data(), &head, sizeof(head));
    text += packet;
    while (send_with(socket, text.data(), static_cast<unsigned>(text.size()), &fd, fd >= 0 ? 1 : 0) < 0 &&
           errno == EINTR) {
    }
}

void receive_for(int socket, int connection, uint32_t token, bool (*wanted)(int fd)) {
    std::string packet(kMostParcelBytes, '\0');
    int fds[kMostInPacket];
    unsigned count = 0;
    const long bytes = receive_with(connection, packet.data(), kMostParcelBytes, fds, &count, MSG_DONTWAIT);
    packet.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
    int chosen = -1;
    for (unsigned i = 0; i < count && chosen < 0; ++i)
        if (wanted(fds[i])) chosen = fds[i];
    reply(socket, {BurialReply::Kind::kReceived, token, static_cast<int64_t>(packet.size())}, packet, chosen);
    for (unsigned i = 0; i < count; ++i) close(fds[i]);
    close(connection);
}

void carry_out(int socket, const BurialOrder& order, int* fds, unsigned count, bool (*wanted)(int fd)) {
    using OrderKind = BurialOrder::Kind;
    if (order.kind == OrderKind::kReceive && count == 1) return receive_for(socket, fds[0], order.token, wanted);
    if (order.kind == OrderKind::kMap && count == 1) {
        const std::string facts = order.pid > 0 ? read_process_facts(order.pid) : "";
        reply(socket,
              {BurialReply::Kind::kMapped, order.token, static_cast<int64_t>(facts.size()),
               ipc::map_new_region(fds[0], order.token, getpid())},
              facts);
    }
    if (order.kind == OrderKind::kSeal && count == 1)
        reply(socket, {BurialReply::Kind::kSealed, order.token, ipc::seal_region(fds[0])});
    // Emptying the file frees its memory, although the tool may hold the file forever.
    if (order.kind == OrderKind::kEmpty && count == 1)
        while (ftruncate(fds[0], 0) != 0 && errno == EINTR) {
        }
    if (order.kind == OrderKind::kUnmap) {
        if (count == 0 || ipc::seal_region(fds[0]) == 0)
            ipc::unmap_region(order.region);
        else
            reply(socket, {BurialReply::Kind::kKept, order.token, 0});
    }
    for (unsigned i = 0; i < count; ++i) close(fds[i]);
}

void serve_orders(int socket, bool (*wanted)(int fd)) {
    take_interruptions();
    Interruptions interruptions;
    for (;;) {
        BurialOrder order{};
        int fds[kMostInPacket];
        unsigned count = 0;
        const long bytes = receive_with(socket, &order, sizeof(order), fds, &count, 0);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes != sizeof(order) || !await_start(socket)) break;
        interruptions.set(true);
        carry_out(socket, order, fds, count, wanted);
        interruptions.set(false);
        reply(socket, {BurialReply::Kind::kDone, order.token, 0});
    }
}

// The thread's loop: carries out the orders that arrive on `socket`. If memory is exhausted, the thread ends, and the
// order that it was carrying out is never answered.
void work(int socket, bool (*wanted)(int fd)) {
    pthread_setname_np(pthread_self(), "xserver-close");
    try {
        if (leave_table(socket)) reply(socket, {BurialReply::Kind::kApart, 0, 0, nullptr});
        serve_orders(socket, wanted);
    } catch (const std::exception&) {
    }
    close(socket);
}

}  // namespace

int start_undertaker_thread(bool (*wanted)(int fd), int* theirs) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    try {
        std::thread thread(work, ends[1], wanted);
        thread.detach();
    } catch (const std::exception&) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    *theirs = ends[1];
    return ends[0];
}

long send_with(int socket, const void* data, unsigned bytes, const int* fds, unsigned count) {
    iovec content{const_cast<void*>(data), bytes};
    msghdr message{};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostBurials)] = {};
    if (count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        cmsghdr* part = CMSG_FIRSTHDR(&message);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof(int) * count);
        memcpy(CMSG_DATA(part), fds, sizeof(int) * count);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

long receive_with(int socket, void* data, unsigned bytes, int* fds, unsigned* count, int flags) {
    *count = 0;
    iovec content{data, bytes};
    msghdr message{};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostInPacket)] = {};
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    const ssize_t got = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    if (got < 0) return got;
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        const size_t here = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < here && *count < kMostInPacket; ++i)
            memcpy(&fds[(*count)++], CMSG_DATA(part) + i * sizeof(int), sizeof(int));
    }
    return got;
}

}  // namespace xsched::server
