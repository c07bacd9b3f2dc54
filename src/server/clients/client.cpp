#include "server/clients/client.h"

#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "ipc/protocol.h"

namespace xsched::server {
namespace {

constexpr unsigned kPidFileSystem = 0x50494446;  // PIDFS_MAGIC, since Linux 6.9: one inode for each process

// Returns a number that is equal for connections of one process. If the kernel offers none, each connection counts as a
// process of its own.
uint64_t process_number(int pid_fd, pid_t pid, uint32_t client) {
    struct statfs system{};
    struct stat info{};
    if (pid_fd >= 0 && fstatfs(pid_fd, &system) == 0 && system.f_type == kPidFileSystem && fstat(pid_fd, &info) == 0)
        return info.st_ino;
    constexpr uint64_t kNumbers = uint64_t{1} << 62;
    return pid > 0 ? kNumbers | static_cast<uint64_t>(pid) : 2 * kNumbers | client;
}

}  // namespace

Client::Client(uint32_t id, const Peer& peer, User& user, std::string program, int32_t claimed_pid)
    : id_(id),
      peer_(peer),
      user_(user),
      program_(std::move(program)),
      claimed_pid_(claimed_pid > 0 ? claimed_pid : 0),
      cgroup_(cgroup_of(peer.pid, &knows_cgroup_)) {
    region_fd_.reset(ipc::make_region_file());
    if (!region_fd_) throw std::system_error(errno, std::generic_category(), "shared memory");
}

// Unmaps the Region of a client that was never served; Server::bury takes the Region of any other client.
Client::~Client() { ipc::unmap_region(region_); }

void Client::keep(base::UniqueFd socket, base::UniqueFd process) {
    socket_ = std::move(socket);
    pid_fd_ = std::move(process);
    process_ = process_number(pid_fd_.get(), peer_.pid, id_);
}

bool Client::take_region(ipc::Region* region) {
    region_ = region;
    pin_.reset(ipc::pin_region(region_fd_.get()));
    return static_cast<bool>(pin_);
}

bool Client::welcome() const {
    const ipc::Welcome welcome{ipc::kMagic, ipc::kVersion, sizeof(ipc::Welcome), ipc::WelcomeStatus::kAccepted,
                               id_,         getpid(),      sizeof(ipc::Region)};
    return ipc::send_packet(socket_.get(), &welcome, sizeof(welcome), region_fd_.get());
}

Client::Ceiling Client::ceiling() const {
    Ceiling lowest;
    const auto lower = [&lowest](const std::atomic<int32_t>& limit, const char* of) {
        if (const int32_t priority = limit.load(); priority < lowest.priority) lowest = {priority, of};
    };
    if (user_.shared() != nullptr) lower(user_.shared()->highest_priority, "user");
    lower(group_->highest_priority, "group");
    lower(group_->rule_priority, "rule");
    return lowest;
}

}  // namespace xsched::server
