// Users that have no number here: in a user namespace (a rootless container) the kernel shows all those that are not
// mapped as one number, /proc/sys/kernel/overflowuid. Any thread.
#pragma once

#include <sys/types.h>

namespace xsched::ipc {

inline constexpr uid_t kNoUid = static_cast<uid_t>(-1);

// That number, which then says nothing of who it is; kNoUid: each user that we may meet has a number of his own.
uid_t unmapped_uid();
// Whether that is the uid of this process, and of no other user.
bool is_own_uid(uid_t uid);
// Whether root has a number here: otherwise root's files and servers seem to belong to unmapped_uid().
bool root_is_mapped();

}  // namespace xsched::ipc
