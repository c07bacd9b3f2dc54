#include "server/service_manager.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>

#include "base/clock.h"

namespace xsched::server {
namespace {

// Feeds per watchdog period. sd_watchdog_enabled(3) advises two; four allow for a thread that is woken late.
constexpr int64_t kFeedsWithinWatchdog = 4;

std::string take_variable(const char* name) {
    const char* value = getenv(name);
    std::string text = value != nullptr ? value : "";
    unsetenv(name);
    return text;
}

}  // namespace

ServiceManager::ServiceManager() : address_(take_variable("NOTIFY_SOCKET")) {
    const std::string watchdog_us = take_variable("WATCHDOG_USEC");
    const std::string watched = take_variable("WATCHDOG_PID");
    const bool is_path = !address_.empty() && (address_.front() == '/' || address_.front() == '@');
    if (!is_path || address_.size() >= sizeof(sockaddr_un::sun_path)) return;
    socket_.reset(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket_) return;
    if (!watched.empty() && watched != std::to_string(getpid())) return;
    const long long us = strtoll(watchdog_us.c_str(), nullptr, 10);
    feed_every_ns_ =
        std::clamp<int64_t>(us, 0, INT64_MAX / base::kMicrosecond) * base::kMicrosecond / kFeedsWithinWatchdog;
}

// Allocates no memory, so the supervisor can report even if there is none.
void ServiceManager::tell(std::string_view text, std::string_view more) const {
    if (!socket_) return;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, address_.data(), address_.size());
    if (address_.front() == '@') address.sun_path[0] = '\0';  // an abstract one
    iovec parts[] = {{const_cast<char*>(text.data()), text.size()}, {const_cast<char*>(more.data()), more.size()}};
    msghdr message{};
    message.msg_name = &address;
    message.msg_namelen = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
    message.msg_iov = parts;
    message.msg_iovlen = std::size(parts);
    sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void ServiceManager::feed(const Beats& beats, int64_t now_ns) {
    if (!watches() || now_ns - fed_ns_ < feed_every_ns_) return;
    const uint32_t scheduling = beats.scheduling.load(std::memory_order_relaxed);
    const uint32_t front = beats.front.load(std::memory_order_relaxed);
    if (scheduling == scheduling_ || front == front_) return;
    scheduling_ = scheduling;
    front_ = front;
    fed_ns_ = now_ns;
    tell("WATCHDOG=1");
}

}  // namespace xsched::server
