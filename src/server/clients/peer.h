// The process at the other end of a connection, as the kernel names it. Any thread.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "server/clients/place.h"
#include "server/clients/standing.h"

namespace xsched::server {

struct Peer {
    pid_t pid = 0;  // 0: in a pid namespace that we cannot see
    // Equal for those that may see and steer each other's programs; of a peer whose uid says nothing, a number that no
    // user of this machine has (identities.h).
    uid_t uid = 0;
    bool trusted = false;  // an administrator, or of the group xsched
    bool administers = false;  // root or the server's own user, in the server's own namespaces
    uid_t account = kAsUid;  // the user whose limits count
    uid_t told_uid = 0;  // the kernel's word: for people
    bool guest = false;  // came by the socket for containers
    bool of_trusted_group = false;
    Standing standing;
    std::shared_ptr<Place> place;  // null: the uid says who it is

    static constexpr uid_t kAsUid = static_cast<uid_t>(-1);
    uid_t account_uid() const { return account == kAsUid ? uid : account; }
};

// "uid 1000 (pid 17)", "uid 0 of pid namespace 4026532567 (pid 17)"
std::string name_of(const Peer& peer);

// Members come in when nobody else does, and may raise others. -1: there is no such group on this machine.
gid_t trusted_group();

// Asks the kernel about the peer; the conclusions from that: Identities::settle. False: the connection is no Unix
// socket any more.
bool identify(int socket, gid_t trusted, Peer* peer);
// The same of a process without a connection. False: there is none.
bool identify_process(pid_t pid, Peer* peer);

// Readable once the process ended, even if a forked child still holds its connection; names the process whatever
// becomes of its number. None: the kernel has none, or the process is gone.
base::UniqueFd open_process(int socket, const Peer& peer);

}  // namespace xsched::server
