// xserver's listening socket: only one server per path, in a directory that others cannot replace. Main thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "base/unique_fd.h"
#include "ipc/protocol.h"

namespace xsched::server {

// The kernel's word on who is at the other end.
struct Peer {
    pid_t pid = 0;  // 0: in a pid namespace that we cannot see
    uid_t uid = 0;
};

// Another server serves this path already.
class AlreadyServed : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Listener {
public:
    // Throws AlreadyServed, or std::runtime_error with a sentence.
    Listener(std::string path, ipc::SocketScope scope);
    // The same listener in a child process: whoever made it keeps the path and the lock when the child goes, unless the
    // child calls close().
    Listener lend() const;
    ~Listener();
    Listener(Listener&&) = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    int fd() const { return socket_.get(); }
    const std::string& path() const { return path_; }

    // The next connection, if there is one. `refused` becomes true if the system has no descriptors left: try again
    // later.
    std::optional<std::pair<base::UniqueFd, Peer>> accept(bool* refused);

    // No connection can be made any more; those made go on. Idempotent.
    void close();

private:
    struct Lent {};
    Listener(Lent, const Listener& owner);
    void take_lock();
    void open_socket(ipc::SocketScope scope);

    std::string path_;
    base::UniqueFd lock_;  // held for as long as we serve the path
    base::UniqueFd socket_;
    bool lent_ = false;
};

}  // namespace xsched::server
