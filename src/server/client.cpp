#include "server/client.h"

#include <cerrno>
#include <system_error>

#include <sys/syscall.h>

namespace xsched::server {

base::UniqueFd open_pid(pid_t pid) {
#ifdef SYS_pidfd_open
    if (pid > 0) return base::UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
#endif
    return {};
}

Client::Client(uint32_t id, Peer peer, std::string program)
    : id_(id), peer_(peer), program_(std::move(program)), pid_fd_(open_pid(peer.pid)) {
    int fd = -1;
    region_ = ipc::create_region(id, getpid(), &fd);
    if (region_ == nullptr) throw std::system_error(errno, std::generic_category(), "shared memory");
    region_fd_.reset(fd);
}

Client::~Client() { ipc::unmap_region(region_); }

bool Client::welcome(base::UniqueFd socket) {
    socket_ = std::move(socket);
    const ipc::Welcome welcome{ipc::kMagic, ipc::kVersion, sizeof(ipc::Welcome), ipc::WelcomeStatus::kAccepted,
                               id_,         getpid(),      sizeof(ipc::Region)};
    const bool sent = ipc::send_packet(socket_.get(), &welcome, sizeof(welcome), region_fd_.get());
    region_fd_.reset();
    return sent;
}

}  // namespace xsched::server
