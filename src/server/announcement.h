// One user, one server, from whatever shell, service or cron job it is looked for: a server at one of its user's places
// (ipc::user_socket_places) is linked from the others, and says so if another server is at one of them. A server at a
// place of its own (--socket, XSCHED_SOCKET) keeps to itself. Main thread.
#pragma once

#include <string>
#include <vector>

#include "ipc/protocol.h"

namespace xsched::server {

class Announcement {
public:
    // `socket` is listened on already. Never fails: what does not work is a line in the log.
    explicit Announcement(const std::string& socket);
    // Takes the links away that still lead to it.
    ~Announcement();
    Announcement(const Announcement&) = delete;
    Announcement& operator=(const Announcement&) = delete;

private:
    std::string socket_;
    std::vector<std::string> links_;
};

}  // namespace xsched::server
