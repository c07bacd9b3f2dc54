#include "agent/small_server.h"

#include "base/clock.h"
#include "ipc/protocol.h"
#include "ipc/region.h"

#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace xsched::agent::testing {

SmallServer::SmallServer(const std::string& path) : path_(path) {
    unlink(path.c_str());
    listener_.reset(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address));
    listen(listener_.get(), 8);
    thread_ = std::thread([this] { serve(); });
}

SmallServer::~SmallServer() {
    stop_ = true;
    thread_.join();
    unlink(path_.c_str());
}

void SmallServer::serve() {
    while (!stop_) {
        pollfd wait{listener_.get(), POLLIN, 0};
        if (poll(&wait, 1, 5) > 0) {
            base::UniqueFd client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            ipc::Hello hello{};
            ipc::receive_packet(client.get(), &hello, sizeof(hello), nullptr, 1000);
            int memory = -1;
            ipc::Region* region = ipc::create_region(1, getpid(), &memory);
            region->header.watching = 1;
            region->header.heartbeat_ns = base::now_ns();
            const ipc::Welcome welcome{ipc::kMagic, ipc::kVersion, sizeof(welcome), ipc::WelcomeStatus::kAccepted, 1,
                                       getpid(), sizeof(ipc::Region)};
            ipc::send_packet(client.get(), &welcome, sizeof(welcome), memory);
            close(memory);
            region_ = region;
            const std::lock_guard lock(mutex_);
            clients_.push_back(std::move(client));
        }
        if (region_ != nullptr && beating) region().header.heartbeat_ns = base::now_ns();
    }
}

bool SmallServer::wait_for_client() {
    for (int i = 0; i < 10'000 && region_ == nullptr; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return region_ != nullptr;
}

bool SmallServer::client_gone() {
    char byte = 0;
    const std::lock_guard lock(mutex_);
    return !clients_.empty() && recv(clients_.front().get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

unsigned SmallServer::clients() {
    const std::lock_guard lock(mutex_);
    return static_cast<unsigned>(clients_.size());
}

void SmallServer::set_suspended(bool suspended) {
    for (ipc::QueueSlot& slot : region().slots)
        if (slot.state == static_cast<uint32_t>(ipc::SlotState::kUsed)) slot.suspended = suspended ? 1 : 0;
    ipc::ring_directive(region().header);
}

}  // namespace xsched::agent::testing
