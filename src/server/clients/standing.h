// Where the process at the other end of a connection stands, as the kernel tells it: in which user and pid namespace,
// and whether it has CAP_SYS_ADMIN. A uid alone says little: each container that shares the host's user namespace has a
// uid 0 (docs/SECURITY.md). Nothing here waits for the process: neither its memory nor a lock of its own is needed.
// Any thread.
//
// Words: container, a pid namespace below or beside the server's, with all that are below it.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace xsched::server {

struct Standing {
    enum class Answer { kUnknown, kNo, kYes };

    Answer same_users = Answer::kUnknown;  // in the server's user namespace
    bool same_mapping = false;  // of uids, as in the server's own: enough for a uid other than 0
    // Of another user namespace: the number of the topmost one below the server's; 0: the same, or unknown.
    uint64_t user_namespace = 0;
    Answer in_container = Answer::kUnknown;
    uint64_t container = 0;  // the topmost pid namespace below the server's, by number; 0: none, or unknown
    // The container was made by somebody with rights over the server's user namespace, so its root may be any uid.
    bool made_by_administrator = true;
    bool has_rights = false;  // CAP_SYS_ADMIN, or nobody has that here
};

// `process`: its pidfd. `pid` may be 0, where the server does not see the process.
Standing standing_of(int process, pid_t pid);

// For tests: the same, where the kernel has no ioctl for it (before Linux 6.11).
Standing standing_by_links(int process, pid_t pid);

// Whether the server itself is in the initial pid or control group namespace, which sees everybody.
bool sees_all_processes();
bool sees_all_groups();

}  // namespace xsched::server
