// Reports to the service manager that started the server (systemd), if there is one, as sd_notify(3) would: by
// datagrams to NOTIFY_SOCKET. The process that systemd started reports: the supervisor, or a server without one. One
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "server/beats.h"

namespace xsched::server {

class ServiceManager {
public:
    // Removes the variables meant for this process from the environment, since the manager does not know its children.
    ServiceManager();

    // Returns whether a manager started this process.
    bool is_there() const { return !address_.empty(); }
    // Sends, for example, "READY=1" or "STATUS=...". Never waits: if the manager has no room, the message is lost.
    void tell(std::string_view text, std::string_view more = {}) const;
    // Returns whether WatchdogSec= is set: then the manager ends this process unless it is fed.
    bool watches() const { return feed_every_ns_ != 0; }
    // Feeds the watchdog if both threads have beaten since the last time, and the last time is long enough ago.
    void feed(const Beats& beats, int64_t now_ns);

private:
    base::UniqueFd socket_;
    std::string address_;
    int64_t feed_every_ns_ = 0;  // 0: no manager watches
    int64_t fed_ns_ = 0;
    uint32_t scheduling_ = 0;  // the beat at the last feeding
    uint32_t front_ = 0;
};

}  // namespace xsched::server
