// Makes one server per user reachable from every shell, service and cron job. A server at one of its user's places
// (ipc::user_socket_places) is linked from the other places. If another server is at one of them, the log says so. A
// server at a place of its own (--socket, XSCHED_SOCKET) is linked from nowhere. Main thread.
#pragma once

#include <string>
#include <vector>

#include "base/no_copies.h"
#include "ipc/protocol.h"

namespace xsched::server {

class Announcement : base::NoCopies {
public:
    // Links `socket`, on which the server listens already. Never fails: a link that cannot be made is a line in the
    // log.
    explicit Announcement(const std::string& socket);
    // Removes the links that still lead to this server.
    ~Announcement();

private:
    std::string socket_;
    std::vector<std::string> links_;
};

}  // namespace xsched::server
