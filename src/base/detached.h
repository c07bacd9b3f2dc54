// Starts another program from within a guest, whose wait() and SIGCHLD handler see nothing of it. Any thread. The call
// blocks until the program runs, which takes a millisecond. The guest's memory is not copied.
#pragma once

namespace xsched::base {

// Finds a program beside the library or program that this code is in. `places`: paths relative to its folder, ended by
// null. Writes the first that may be executed to `path`. Returns false if there is none.
bool find_beside_us(const char* const places[], char* path, unsigned long bytes);

struct DetachedProgram {
    const char* path;
    char* const* arguments;  // the program's name first; ended by null
    const char* const* environment;
};
// Starts the program with standard input and output at /dev/null. Returns whether it could be started.
bool start_detached(const DetachedProgram& program);

}  // namespace xsched::base
