// Children that end with their parent.
#pragma once

#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

namespace xsched::console {

// In a child of `parent`, right after the fork: has the kernel send it `signal` when the thread that forked ends. Where
// `parent` has ended already nothing would be sent, and so the child ends at once.
inline void end_with(pid_t parent, int signal) {
    prctl(PR_SET_PDEATHSIG, signal);
    if (getppid() != parent) _exit(0);
}

}  // namespace xsched::console
