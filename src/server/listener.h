// xserver's listening socket: only one server per path, in a directory that others cannot replace. Front thread.
#pragma once

#include <sys/types.h>

#include <stdexcept>
#include <string>

#include "base/unique_fd.h"
#include "ipc/protocol.h"

namespace xsched::server {

// Another server serves this path already.
class AlreadyServed : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Listener {
public:
    // Throws AlreadyServed, or std::runtime_error with a sentence.
    Listener(std::string path, ipc::SocketScope scope);
    // The same listener for a child process: whoever made it keeps the path and the lock when the child goes, unless
    // the child calls leave().
    Listener lend() const;
    Listener(Listener&&) = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    int fd() const { return socket_.get(); }
    const std::string& path() const { return path_; }

    // The next connection, or none. `refused` becomes true if the system has no descriptors left: try again later.
    base::UniqueFd accept(bool* refused);

    // No connection can be made any more, and another server may begin here. Nothing is closed: descriptors may lie in
    // connections that were not accepted, and closing them may take for ever. The end of the process does not wait so.
    // Idempotent.
    void leave();

private:
    struct Lent {};
    Listener(Lent, const Listener& owner);
    void take_lock();
    void open_socket(ipc::SocketScope scope);

    std::string path_;
    base::UniqueFd lock_;  // held for as long as we serve the path
    base::UniqueFd socket_;
};

}  // namespace xsched::server
