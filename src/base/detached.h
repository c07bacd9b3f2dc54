// Starts another program from within a guest, whose wait() and handler of SIGCHLD see nothing of it. Any thread; it
// stands until the program runs, which takes a millisecond. The process is not copied.
#pragma once

namespace xsched::base {

// Beside the library or program that this code is in: `places` are paths from its folder, the last is null. The first
// that may be run; its text goes to `path`. False: none.
bool find_beside_us(const char* const places[], char* path, unsigned long bytes);

struct DetachedProgram {
    const char* path;
    char* const* arguments;  // its name first, the last is null
    const char* const* environment;
};
// Its standard input and output are nowhere. False: it could not be started.
bool start_detached(const DetachedProgram& program);

}  // namespace xsched::base
