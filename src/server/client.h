// One client process as the server holds it: its Region, and the two descriptors that tell of its end. Main thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/unique_fd.h"
#include "ipc/region.h"
#include "server/listener.h"

namespace xsched::server {

class Client {
public:
    // Makes the Region. Throws std::system_error if there is no memory or descriptor for it.
    Client(uint32_t id, Peer peer, std::string program);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Hands the Region over and keeps the connection. False: the process is gone, or does not read.
    bool welcome(base::UniqueFd socket);

    uint32_t id() const { return id_; }
    const Peer& peer() const { return peer_; }
    const std::string& program() const { return program_; }
    ipc::Region& region() const { return *region_; }
    ipc::Header& header() const { return region_->header; }
    int socket() const { return socket_.get(); }
    // Readable once the process ended, even if a forked child still holds its socket; -1: the system has none.
    int pid_fd() const { return pid_fd_.get(); }

private:
    uint32_t id_;
    Peer peer_;
    std::string program_;
    base::UniqueFd socket_;
    base::UniqueFd pid_fd_;
    base::UniqueFd region_fd_;  // until the welcome
    ipc::Region* region_ = nullptr;
};

// A descriptor that becomes readable when the process ends; none if there is no such process or kernel support.
base::UniqueFd open_pid(pid_t pid);

}  // namespace xsched::server
