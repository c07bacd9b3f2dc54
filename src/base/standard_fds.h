// A program may be started with standard input, output or error closed. The next file that the program opens would take
// such a number, and text for standard output would end up in that file. For our own programs, at their start.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace xsched::base {

// /dev/null takes the free ones; what is executed later finds them closed as before.
inline void hold_standard_fds() {
    for (int fd = 0; fd <= STDERR_FILENO; ++fd)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) != fd) return;
}

}  // namespace xsched::base
