// A child that hangs, described for a developer: each thread's place in the kernel, and in its own code
// where the child can tell. One thread.
#pragma once

#include <sys/types.h>

#include "cli/server_link.h"

namespace xsched::cli {

// Of every process in the group: [{"process", "thread", "name", "state", "wchan", "syscall", "kernel_stack"}]; what
// this user may not read is left out.
Json threads_of_group(pid_t group);

// Asks every thread of the group for its own stack: SIGUSR1, which a probe answers with a backtrace on standard error
// (probe/own_stacks.h). Processes that would end by the signal get none.
void ask_for_stacks(pid_t group);

}  // namespace xsched::cli
