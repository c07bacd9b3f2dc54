// Processes of this machine, as /proc shows them. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::cli {

// A process. A later one that has got the same number is another.
struct ProcessMark {
    pid_t pid = 0;
    uint64_t started = 0;  // in ticks since the machine's start; 0: there is no such process

    // Returns whether it runs. A process that has ended and was not waited for does not.
    bool runs() const;
    // Sends the signal if it runs.
    void send(int signal) const;
};

ProcessMark mark_of(pid_t pid);
// Returns 0 if the process has ended.
pid_t parent_of(pid_t pid);
// Returns whether `pid` is `ancestor` or was started by it, directly or by others that still run.
bool belongs_to(pid_t pid, pid_t ancestor);
// Returns the process and all that it started, as far as these have kept their parents.
std::vector<ProcessMark> family_of(pid_t ancestor);
std::vector<pid_t> all_processes();

}  // namespace xsched::cli
