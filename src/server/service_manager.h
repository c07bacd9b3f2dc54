// The service manager that started us (systemd), if there is one: what sd_notify(3) would tell it, by datagrams to
// NOTIFY_SOCKET. The process that systemd started tells it: the supervisor, or a server without one. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "server/beats.h"

namespace xsched::server {

class ServiceManager {
public:
    // Takes what is said to us out of the environment: the manager does not know our children.
    ServiceManager();

    // "READY=1", "STATUS=...". Never waits: the manager misses what it has no room for.
    void tell(std::string_view text, std::string_view more = {}) const;
    // WatchdogSec= is set: the manager ends this process unless it is fed.
    bool watches() const { return feed_every_ns_ != 0; }
    // Feeds the watchdog if both threads have beaten since it was fed last, and that is a while ago.
    void feed(const Beats& beats, int64_t now_ns);

private:
    base::UniqueFd socket_;
    std::string address_;
    int64_t feed_every_ns_ = 0;  // 0: nobody watches
    int64_t fed_ns_ = 0;
    uint32_t scheduling_ = 0;  // beats, as the watchdog was fed last
    uint32_t front_ = 0;
};

}  // namespace xsched::server
