// Moves the device memory of an evictable job to the host while Slurm has the job suspended. Slurm sends SIGTSTP to the
// children of the step's slurmstepd, and stops all of the step two seconds later: memory moves in between, because a
// stopped process moves nothing. A child of slurmstepd waits for these signals. As root.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace xsched::slurm {

// Returns the processes below `top` in the tree of processes, but `except` and those below it.
std::vector<pid_t> processes_below(pid_t top, pid_t except);

// Starts the child that waits, of the calling process, for the processes below it. Returns its number; -1: there is
// none.
pid_t watch_suspensions(const std::string& xcli);
// Ends that child.
void end_watch(pid_t child);

}  // namespace xsched::slurm
