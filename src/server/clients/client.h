// One client process as the server holds it: its Region (the shared memory), and the two descriptors that report its
// end. Front thread; between admit and expel the scheduling thread works on the Region. Before the Region is sealed
// (welcomed.cpp), no thread that must not block touches it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/no_copies.h"
#include "base/unique_fd.h"
#include "dispatch/record.h"
#include "ipc/region.h"
#include "sched/facts/habits.h"
#include "server/clients/peer.h"
#include "server/limits/cgroups.h"
#include "server/limits/users.h"

namespace xsched::server {

class Client : base::NoCopies {
public:
    // Creates the Region's file. Throws std::system_error if there is no descriptor for it. `claimed_pid`: the client's
    // own word for its pid; it is used if the kernel does not tell the pid.
    Client(uint32_t id, const Peer& peer, User& user, std::string program, int32_t claimed_pid);
    ~Client();

    void keep(base::UniqueFd socket, base::UniqueFd process);
    // Takes the Region, which a thread that may block has mapped (undertaker.h). Returns false if it cannot be used.
    bool take_region(ipc::Region* region);
    bool has_region() const { return region_ != nullptr; }
    // Sends the Region to the client. Returns false if the process is gone or does not read.
    bool welcome() const;
    // Hand over the connection (to be buried), the Region's file (to be sealed) and the Region (to be unmapped).
    base::UniqueFd give_socket() { return std::move(socket_); }
    base::UniqueFd give_file() { return std::move(region_fd_); }
    int file() const { return region_fd_.get(); }
    ipc::Region* give_region() { return std::exchange(region_, nullptr); }

    uint32_t id() const { return id_; }
    const Peer& peer() const { return peer_; }
    User& user() const { return user_; }
    // Returns the client's pid: the kernel's, or the one that the client claims where the kernel shows none; 0:
    // neither.
    int32_t pid() const { return peer_.pid > 0 ? peer_.pid : claimed_pid_; }
    bool pid_is_claimed() const { return peer_.pid <= 0; }
    // Returns a number that is equal for connections of one process and different for different processes, as far as
    // the kernel tells.
    uint64_t process() const { return process_; }
    const std::string& program() const { return program_; }
    // Return the control group at the time of the connection (cgroups.h), and its share and limits.
    const std::string& cgroup() const { return cgroup_; }
    bool knows_cgroup() const { return knows_cgroup_; }
    void read_cgroup() { cgroup_ = cgroup_of(peer_.pid, &knows_cgroup_); }
    const std::shared_ptr<dispatch::GroupShare>& group() const { return group_; }
    // The highest priority that its queues may have, and what says so: "user", "group" or "rule"; "": nothing does.
    struct Ceiling {
        int32_t priority = PRIORITY_MAX;
        const char* of = "";
    };
    Ceiling ceiling() const;
    // Returns the dispatcher's record of it.
    const std::shared_ptr<dispatch::ClientRecord>& record() const { return record_; }
    // Returns the habits of the program's last run and of this one. Read them once the scheduling thread has let the
    // client go.
    const std::shared_ptr<sched::ProgramHabits>& habits() const { return habits_; }
    ipc::Region& region() const { return *region_; }
    ipc::Header& header() const { return region_->header; }
    int socket() const { return socket_.get(); }
    int pid_fd() const { return pid_fd_.get(); }  // -1: the system offers none

    // The client's place in its user's account; released with the client.
    Charge place;
    Charge descriptors;
    bool handed_over = false;
    bool suspended_by_person = false;  // a person suspended the process before it connected
    bool memory_sent_away = false;  // a person has sent its memory to the host (xcli suspend --memory)
    bool seen_stopped = false;  // its process stood still at the last look for an answer (stopped_looks.h)
    bool memory_by_driver = false;  // the driver's checkpoint did that (host/process_checkpoint.h)

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
    base::UniqueFd region_fd_;  // the Region's file, until it is sealed
    base::UniqueFd pin_;  // ipc::pin_region
    ipc::Region* region_ = nullptr;
    std::shared_ptr<sched::ProgramHabits> habits_ = std::make_shared<sched::ProgramHabits>();
    std::shared_ptr<dispatch::ClientRecord> record_ = std::make_shared<dispatch::ClientRecord>();
};

}  // namespace xsched::server
