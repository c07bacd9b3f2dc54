// Looks at a child through /proc: whether a debugger traces it, and whether it is exiting although it cannot be waited
// for yet. A process ends with its last thread. A thread that waits in the kernel for a file system or a driver takes
// no signal, not even SIGKILL.
#pragma once

#include <sys/types.h>

#include <optional>

namespace xsched::server {

// Returns the wait status that the process will have; nothing if it is not exiting, or cannot be looked at. Of another
// process than a child the status may read 0.
std::optional<int> status_of_dying(pid_t pid);
// Returns whether a debugger traces the child: then it may be stopped for reasons that are not its own.
bool is_traced(pid_t child);

}  // namespace xsched::server
