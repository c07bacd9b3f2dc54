// One client process as the server holds it: its Region, and the two descriptors that tell of its end. Front thread;
// the scheduling thread works on the Region between admit and expel. Until the Region is sealed (welcomed.cpp) no
// thread that must not wait touches it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/unique_fd.h"
#include "dispatch/record.h"
#include "ipc/region.h"
#include "sched/facts/habits.h"
#include "server/clients/peer.h"
#include "server/limits/cgroups.h"
#include "server/limits/users.h"

namespace xsched::server {

class Client {
public:
    // Makes the Region's file. Throws std::system_error if there is no descriptor for it. `claimed_pid` is what the
    // client says itself: it names the process where the kernel's word does not.
    Client(uint32_t id, const Peer& peer, User& user, std::string program, int32_t claimed_pid);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void keep(base::UniqueFd socket, base::UniqueFd process);
    // The Region that its file holds, mapped by a thread that may wait (undertaker.h). False: it cannot be kept.
    bool take_region(ipc::Region* region);
    bool has_region() const { return region_ != nullptr; }
    // Hands the Region over. False: the process is gone, or does not read.
    bool welcome() const;
    // The connection, to be buried; the Region's file, to be sealed; the Region, to be unmapped.
    base::UniqueFd give_socket() { return std::move(socket_); }
    base::UniqueFd give_file() { return std::move(region_fd_); }
    int file() const { return region_fd_.get(); }
    ipc::Region* give_region() { return std::exchange(region_, nullptr); }

    uint32_t id() const { return id_; }
    const Peer& peer() const { return peer_; }
    User& user() const { return user_; }
    // Returns its number for people: the kernel's number, or its own where the kernel shows none; 0: neither.
    int32_t pid() const { return peer_.pid > 0 ? peer_.pid : claimed_pid_; }
    bool pid_is_claimed() const { return peer_.pid <= 0; }
    // Equal for connections of one process, different for different ones, as far as the kernel tells.
    uint64_t process() const { return process_; }
    const std::string& program() const { return program_; }
    // As it was when it connected (cgroups.h), and what that is given.
    const std::string& cgroup() const { return cgroup_; }
    bool knows_cgroup() const { return knows_cgroup_; }
    void read_cgroup() { cgroup_ = cgroup_of(peer_.pid, &knows_cgroup_); }
    const std::shared_ptr<dispatch::GroupShare>& group() const { return group_; }
    // Returns the dispatcher's record of it.
    const std::shared_ptr<dispatch::ClientRecord>& record() const { return record_; }
    // Returns the habits of its last run and of this one; read once the scheduling thread has let it go.
    const std::shared_ptr<sched::ProgramHabits>& habits() const { return habits_; }
    ipc::Region& region() const { return *region_; }
    ipc::Header& header() const { return region_->header; }
    int socket() const { return socket_.get(); }
    int pid_fd() const { return pid_fd_.get(); }  // -1: the system has none

    // The part that it takes of its user's account.
    Charge place;
    Charge descriptors;
    bool handed_over = false;
    bool suspended_by_person = false;  // suspended by a person before it came

private:
    uint32_t id_;
    Peer peer_;
    User& user_;
    std::string program_;
    int32_t claimed_pid_;
    bool knows_cgroup_ = true;
    std::string cgroup_;
    std::shared_ptr<dispatch::GroupShare> group_ = std::make_shared<dispatch::GroupShare>();
    uint64_t process_ = 0;
    base::UniqueFd socket_;
    base::UniqueFd pid_fd_;
    base::UniqueFd region_fd_;  // until it is sealed
    base::UniqueFd pin_;  // ipc::pin_region
    ipc::Region* region_ = nullptr;
    std::shared_ptr<sched::ProgramHabits> habits_ = std::make_shared<sched::ProgramHabits>();
    std::shared_ptr<dispatch::ClientRecord> record_ = std::make_shared<dispatch::ClientRecord>();
};

}  // namespace xsched::server
