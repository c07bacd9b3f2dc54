// Tells where a peer stands, according to the kernel: in which user and pid namespace, and whether it has
// CAP_SYS_ADMIN. A uid alone says little, since each container in the host's user namespace has a uid 0
// (docs/SECURITY.md). No call here can block on the process: neither its memory nor a lock of it is needed. Any thread.
//
// Words: container, a pid namespace below or beside the server's, with all namespaces below it.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace xsched::server {

struct Standing {
    enum class Answer { kUnknown, kNo, kYes };

    Answer same_users = Answer::kUnknown;  // it is in the server's user namespace
    bool same_mapping = false;  // its namespace maps uids as the server's does; enough to trust a uid other than 0
    // If it is in another user namespace: the inode of the topmost one below the server's. 0: the same one, or unknown.
    uint64_t user_namespace = 0;
    Answer in_container = Answer::kUnknown;
    uint64_t container = 0;  // inode of the topmost pid namespace below the server's; 0: none, or unknown
    // The container was created with rights over the server's user namespace, so its root may be any uid.
    bool made_by_administrator = true;
    bool has_rights = false;  // it has CAP_SYS_ADMIN, or no process here can have it
};

// Returns the standing of a process. `process`: its pidfd. `pid`: 0 if the server does not see the process.
Standing standing_of(int process, pid_t pid);

// Returns the same as standing_of, found by links in /proc as on kernels without the ioctl (before Linux 6.11); for
// tests.
Standing standing_by_links(int process, pid_t pid);

// Return whether the server is in the initial namespace of pids, and of control groups, from which all are seen.
bool sees_all_processes();
bool sees_all_groups();

}  // namespace xsched::server
