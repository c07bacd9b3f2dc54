// A child as /proc shows it: whether a debugger has it, and that it is at its end although it cannot be waited for. A
// process ends with its last thread. A thread that waits
// in the kernel for a file system or a driver takes no signal, not even SIGKILL.
#pragma once

#include <sys/types.h>

#include <optional>

namespace xsched::server {

// The wait status that the child is going to have; empty: it is not about to end, or cannot be looked at.
std::optional<int> status_of_dying(pid_t child);
// A child under a debugger is stopped for other reasons than its own.
bool is_traced(pid_t child);

}  // namespace xsched::server
