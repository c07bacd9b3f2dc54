// The process at the other end of a connection, as the kernel describes it. Any thread.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "server/clients/place.h"
#include "server/clients/standing.h"

namespace xsched::server {

struct Peer {
    pid_t pid = 0;  // 0: it is in a pid namespace that this process cannot see
    // Equal for peers that may see and steer each other's programs. For a peer whose uid does not tell who it is: a
    // number that no user of this machine has (identities.h).
    uid_t uid = 0;
    bool trusted = false;  // an administrator, or a member of the group xsched
    bool administers = false;  // root or the server's own user, in the server's own namespaces
    uid_t account = kAsUid;  // the user whose limits count for it
    uid_t told_uid = 0;  // the uid as the kernel tells it, for messages
    bool guest = false;  // it came by the socket for containers
    bool of_trusted_group = false;
    Standing standing;
    std::shared_ptr<Place> place;  // null: its uid says who it is

    static constexpr uid_t kAsUid = static_cast<uid_t>(-1);
    uid_t account_uid() const { return account == kAsUid ? uid : account; }
};

// Returns, for example, "uid 1000 (pid 17)" or "uid 0 of pid namespace 4026532567 (pid 17)".
std::string name_of(const Peer& peer);

// Returns the group whose members may connect when other users may not, and may raise priorities of others. -1: this
// machine has no such group.
gid_t trusted_group();

// Asks the kernel about the peer. Identities::settle draws the conclusions. Returns false if the connection is no Unix
// socket any more.
bool identify(int socket, gid_t trusted, Peer* peer);
// Describes a process without a connection, by its pid, as identify() describes a peer. Returns false if there is no
// such process.
bool identify_process(pid_t pid, Peer* peer);

// Returns a descriptor that is readable once the process has ended, even if a forked child still holds its connection.
// It names the process even if its pid is used again. Returns none if the kernel has no such descriptors or the process
// is gone.
base::UniqueFd open_process(int socket, const Peer& peer);

}  // namespace xsched::server
