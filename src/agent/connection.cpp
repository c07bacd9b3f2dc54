#include "agent/connection.h"

#include "base/unique_fd.h"
#include "ipc/protocol.h"

#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace xsched::agent {
namespace {

constexpr int kHandshakeMs = 1000;

bool same_layout(const ipc::Header& header) {
    return header.magic == ipc::kMagic && header.version == ipc::kVersion &&
           header.header_bytes == sizeof(ipc::Header) && header.slot_bytes == sizeof(ipc::QueueSlot) &&
           header.slot_count == ipc::kMostQueues;
}

ipc::Region* map_shared(int fd) {
    struct stat status {};
    if (fstat(fd, &status) != 0 || status.st_size < static_cast<off_t>(sizeof(ipc::Region))) return nullptr;
    void* memory = mmap(nullptr, sizeof(ipc::Region), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return nullptr;
    auto* region = static_cast<ipc::Region*>(memory);
    if (same_layout(region->header)) return region;
    munmap(memory, sizeof(ipc::Region));
    return nullptr;
}

}  // namespace

ipc::Region* Connection::open(char (&path)[108], const char** refusal) {
    *refusal = "";
    base::UniqueFd socket(ipc::connect_server(path));
    if (!socket) return nullptr;
    ipc::Hello hello{ipc::kMagic, ipc::kVersion, sizeof(ipc::Hello), ipc::PeerKind::kClient, {}};
    strncpy(hello.program, program_invocation_short_name, sizeof(hello.program) - 1);
    ipc::Welcome welcome{};
    int received = -1;
    *refusal = "it did not answer within a second";
    if (!ipc::send_packet(socket.get(), &hello, sizeof(hello))) return nullptr;
    const long bytes = ipc::receive_packet(socket.get(), &welcome, sizeof(welcome), &received, kHandshakeMs);
    base::UniqueFd memory(received);
    if (bytes < static_cast<long>(sizeof(welcome)) || welcome.magic != ipc::kMagic) return nullptr;
    *refusal = ipc::welcome_sentence(welcome.status);
    if (welcome.status != ipc::WelcomeStatus::kAccepted) return nullptr;
    *refusal = ipc::welcome_sentence(ipc::WelcomeStatus::kWrongVersion);
    if (welcome.version != ipc::kVersion || !memory) return nullptr;
    ipc::Region* region = map_shared(memory.get());
    struct stat status {};
    if (region == nullptr || fstat(socket.get(), &status) != 0) return nullptr;
    device_ = status.st_dev;
    inode_ = status.st_ino;
    socket_ = socket.release();
    return region;
}

bool Connection::ours() const {
    struct stat status {};
    return socket_ >= 0 && fstat(socket_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

bool Connection::lost() const {
    if (!ours()) return true;
    pollfd wait{socket_, POLLIN | POLLRDHUP, 0};
    return poll(&wait, 1, 0) > 0 && (wait.revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL)) != 0;
}

void Connection::close() {
    if (ours()) ::close(socket_);
    socket_ = -1;
}

}  // namespace xsched::agent
