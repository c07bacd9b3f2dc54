#include "support/small_server.h"

#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "ipc/protocol.h"
#include "ipc/region.h"
#include "support/eventually.h"
#include "support/listener.h"

namespace xsched::test {

SmallServer::SmallServer(const std::string& path) : path_(path) {
    unlink(path.c_str());
    listener_.reset(listen_on(path));
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
            const ipc::Welcome welcome{ipc::kMagic, ipc::kVersion, sizeof(welcome),    ipc::WelcomeStatus::kAccepted,
                                       1,           getpid(),      sizeof(ipc::Region)};
            ipc::send_packet(client.get(), &welcome, sizeof(welcome), memory);
            close(memory);
            ipc::Mapped mapped{};
            ipc::receive_packet(client.get(), &mapped, sizeof(mapped), nullptr, 1000);
            region_ = region;
            const std::lock_guard lock(mutex_);
            clients_.push_back(std::move(client));
        }
        if (region_ != nullptr && beating) region().header.heartbeat_ns = base::now_ns();
    }
}

bool SmallServer::wait_for_client() {
    return eventually([this] { return region_ != nullptr; });
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
    for (ipc::QueueSlot& slot : region().slots) {
        if (slot.state != static_cast<uint32_t>(ipc::SlotState::kUsed)) continue;
        slot.directed_ns = base::now_ns();
        slot.suspended = suspended ? 1 : 0;
        ipc::settle_gate(slot);
    }
    ipc::ring_directive(region().header);
}

}  // namespace xsched::test
