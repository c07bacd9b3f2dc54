#include "agent/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "base/program_name.h"
#include "base/unique_fd.h"
#include "ipc/client_clock.h"
#include "ipc/region.h"
#include "queue/stop/handover.h"

namespace xsched::agent {
namespace {

constexpr int kHandshakeMs = 1000;

bool send_handover(const XqHandover& handover, void* socket) {
    if (handover.bytes > ipc::Handover::kMostBytes) return true;
    ipc::Handover packet;
    packet.magic = ipc::kMagic;
    packet.version = ipc::kVersion;
    packet.platform = handover.platform;
    packet.bytes = handover.bytes;
    packet.device = handover.device;
    packet.key = handover.key;
    if (handover.bytes != 0) memcpy(packet.data, handover.data, handover.bytes);
    const size_t bytes = offsetof(ipc::Handover, data) + handover.bytes;
    if (ipc::send_packet(*static_cast<int*>(socket), &packet, bytes, handover.bytes != 0 ? handover.fd : -1))
        return true;
    return errno == EBADF;  // the program closed the descriptor: there is nothing to hand over
}

void learn_clock(ipc::Header& header, int64_t asked_ns, int64_t answered_ns) {
    const int64_t ahead_ns = ipc::clock_ahead_ns(header.made_ns, asked_ns, answered_ns);
    header.client_ahead_ns.store(ahead_ns, std::memory_order_relaxed);
    if (ahead_ns != 0)
        XLOG_INFO("this process's clock is %.3f s ahead of xserver's (it is in a time namespace): times are converted",
                  static_cast<double>(ahead_ns) / base::kSecond);
}

}  // namespace

ipc::Region* Connection::open(char (&path)[ipc::kSocketPathBytes], const char** refusal, bool warn) {
    *refusal = "";
    refused_ = false;
    const int64_t asked_ns = base::now_ns();
    base::UniqueFd socket(ipc::connect_server(path, warn));
    if (!socket) return nullptr;
    ipc::Welcome welcome{};
    int received = -1;
    char name[sizeof(ipc::Hello::program)];
    base::name_this_program(name, sizeof(name));
    const bool answered =
        ipc::shake_hands(socket.get(), ipc::PeerKind::kClient, name, &welcome, &received, kHandshakeMs);
    base::UniqueFd memory(received);
    const int64_t answered_ns = base::now_ns();
    *refusal = answered ? ipc::refusal_sentence(welcome, refusal_text_) : "it did not answer within a second";
    refused_ = answered && welcome.status != ipc::WelcomeStatus::kAccepted &&
               welcome.status != ipc::WelcomeStatus::kFull && welcome.status != ipc::WelcomeStatus::kNoMemory;
    if (!answered || welcome.status != ipc::WelcomeStatus::kAccepted) return nullptr;
    *refusal = "the memory it sent cannot be used";
    ipc::Region* region = ipc::map_region(memory.get(), welcome.region_bytes);
    struct stat status{};
    if (region == nullptr || fstat(socket.get(), &status) != 0) return nullptr;
    if (!ipc::say_mapped(socket.get(), welcome)) {
        ipc::unmap_region(region);
        *refusal = "it let go of the connection during the handshake";
        return nullptr;
    }
    learn_clock(region->header, asked_ns, answered_ns);
    base::Lock lock(mutex_);
    device_ = status.st_dev;
    inode_ = status.st_ino;
    socket_ = socket.release();
    queue::handovers_unsent();
    return region;
}

// Returns whether socket_ is still the socket of this connection: the program may have closed the descriptor and opened
// another file in its place. mutex_ held.
bool Connection::ours() const {
    struct stat status{};
    return socket_ >= 0 && fstat(socket_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

bool Connection::lost() {
    base::Lock lock(mutex_);
    if (!ours()) return true;
    pollfd wait{socket_, POLLIN | POLLRDHUP, 0};
    return poll(&wait, 1, 0) > 0 && (wait.revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL)) != 0;
}

int Connection::watched() {
    base::Lock lock(mutex_);
    return socket_;
}

void Connection::send_handovers() {
    if (!queue::handovers_pending()) return;
    base::Lock lock(mutex_);
    if (ours()) queue::send_handovers(send_handover, &socket_);
}

void Connection::hang_up() { forget(true); }

void Connection::close() { forget(false); }

void Connection::forget(bool hang_up) {
    base::Lock lock(mutex_);
    if (ours()) {
        if (hang_up) shutdown(socket_, SHUT_RDWR);
        ::close(socket_);
    }
    socket_ = -1;
}

}  // namespace xsched::agent
