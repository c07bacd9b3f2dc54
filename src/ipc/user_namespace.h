// Users without a number here: in a user namespace (a rootless container) the kernel shows all users that are not
// mapped as one number, /proc/sys/kernel/overflowuid. Any thread.
#pragma once

#include <sys/types.h>

namespace xsched::ipc {

inline constexpr uid_t kNoUid = static_cast<uid_t>(-1);

// Returns the number that stands for every unmapped user; kNoUid if every user that may be met is mapped.
uid_t unmapped_uid();
// Returns whether the uid belongs to this process's user and to no other.
bool is_own_uid(uid_t uid);
// Returns whether root is mapped. Otherwise root's files and servers seem to belong to unmapped_uid().
bool root_is_mapped();

}  // namespace xsched::ipc
