// Describes a child that hangs, for developers: where each thread stands in the kernel, and in its own code if the
// child can tell. One thread.
#pragma once

#include <sys/types.h>

#include "cli/server_link.h"

namespace xsched::cli {

// Describes the threads of the group's processes, at most 200: [{"process", "thread", "name", "state", "wchan",
// "syscall", "kernel_stack"}]. Leaves out files that this user may not read.
Json threads_of_group(pid_t group);

// Asks every thread of the group for its own stack by SIGUSR1: a probe writes a backtrace to standard error
// (probe/own_stacks.h). Processes that the signal would end get none.
void ask_for_stacks(pid_t group);

}  // namespace xsched::cli
