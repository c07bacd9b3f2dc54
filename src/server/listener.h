// The server's listening socket. Only one server listens at each path, and the directory must be one in which other
// users cannot replace the socket. Front thread.
#pragma once

#include <sys/types.h>

#include <stdexcept>
#include <string>

#include "base/unique_fd.h"
#include "ipc/protocol.h"

namespace xsched::server {

// Thrown if another server serves this path already.
class AlreadyServed : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Listener {
public:
    // Takes over the socket of that path if the service manager listens there already (inherited_socket.h). Throws
    // AlreadyServed, or std::runtime_error with a sentence.
    Listener(std::string path, ipc::SocketScope scope);
    // Returns the same listener for a child process. The process that made it keeps the path and the lock when the
    // child ends, unless the child calls leave().
    Listener lend() const;
    Listener(Listener&&) = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    int fd() const { return socket_.get(); }
    const std::string& path() const { return path_; }

    // Returns the next connection, or none. Sets `refused` if the system has no descriptors left: try again later.
    base::UniqueFd accept(bool* refused);

    // Stops taking connections; another server may begin here. Nothing is closed: connections that were not accepted
    // may hold descriptors, and closing these may block forever. The end of the process does not block. Idempotent.
    void leave();

private:
    struct Lent {};
    Listener(Lent, const Listener& owner);
    void take_lock();
    void open_socket(ipc::SocketScope scope);

    std::string path_;
    base::UniqueFd lock_;  // locked for as long as this server serves the path
    base::UniqueFd socket_;
    bool is_inherited_ = false;  // the socket is the service manager's, and stays at its path
};

}  // namespace xsched::server
