// The process at the other end of a connection, as the kernel names it. Any thread.
#pragma once

#include <sys/types.h>

#include "base/unique_fd.h"

namespace xsched::server {

struct Peer {
    pid_t pid = 0;  // 0: in a pid namespace that we cannot see
    uid_t uid = 0;
    bool trusted = false;  // root, the server's own user, or of the group xsched
};

// Members come in when nobody else does, and may raise others. -1: there is no such group on this machine.
gid_t trusted_group();

// False: the connection is no Unix socket any more.
bool identify(int socket, gid_t trusted, Peer* peer);

// Readable once the process ended, even if a forked child still holds its connection; names the process whatever
// becomes of its number. None: the kernel has none, or the process is gone.
base::UniqueFd open_process(int socket, const Peer& peer);

}  // namespace xsched::server
