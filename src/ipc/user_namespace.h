// Users without a number here: in a user namespace (a rootless container) the kernel shows all users that are not
// mapped as one number, /proc/sys/kernel/overflowuid. Any thread.
#pragma once

#include <sys/types.h>

namespace xsched::ipc {

inline constexpr uid_t kNoUid = static_cast<uid_t>(-1);

// Returns the number that the kernel shows for every unmapped user. A mapped user may have it too: podman and docker
// map 65,536 users.
uid_t shown_for_unmapped();
// Returns the number that stands for unmapped users alone; kNoUid if a mapped user has it.
uid_t unmapped_uid();
// Returns whether the uid belongs to this process's user and to no other.
bool is_own_uid(uid_t uid);
// Returns whether root is mapped. Otherwise root's files and servers seem to belong to shown_for_unmapped().
bool root_is_mapped();

}  // namespace xsched::ipc
