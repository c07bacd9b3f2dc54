// A mount namespace of a test's own.
#pragma once

#include <sched.h>
#include <sys/mount.h>

namespace xsched::test {

// In a child: gives it its own mounts from now on. Returns false where that is forbidden.
inline bool enter_own_mounts() { return unshare(CLONE_NEWNS) == 0 && mount("", "/", "", MS_REC | MS_PRIVATE, "") == 0; }

// In a child: enters a mount namespace of its own, with an empty /run and /tmp. Returns false where that is
// forbidden.
inline bool enter_own_run_and_tmp() {
    return enter_own_mounts() && mount("none", "/run", "tmpfs", 0, "") == 0 &&
           mount("none", "/tmp", "tmpfs", 0, "mode=1777") == 0;
}

}  // namespace xsched::test
