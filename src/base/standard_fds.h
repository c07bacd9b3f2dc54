// A program may be started with standard input, output or error closed. The next file that it opens would get that
// number, and text for standard output would go into the file. Called by our own programs at their start.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace xsched::base {

// Opens /dev/null at the free standard descriptors, for reading alone: what is written there fails, as if nothing were
// open. Programs that are executed later find them closed again.
inline void hold_standard_fds() {
    for (int fd = 0; fd <= STDERR_FILENO; ++fd)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY | O_CLOEXEC) != fd) return;
}

}  // namespace xsched::base
