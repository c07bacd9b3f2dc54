// The agent: one per process. It decides where queues publish their state (shared with xserver, or private), keeps the
// connection, and carries out directives on its own thread. Started when the program makes its first queue or context,
// or by its first XQueue, never at load.
// Any thread may call any function.
//
// It fails open: without a server, or when the server goes or hangs, queues move to private memory, where no scheduler
// suspends them. One WARN line says so. A server that comes back is found again.
#pragma once

#include "xsched/types.h"

namespace xsched::agent {

// Starts the agent on the first call in this process (and again in a forked child). `errands`: also starts the thread
// of errands.h; otherwise that thread starts with the first errand.
void ensure_started(bool errands = false);
// Changes the scheduler of a running process; queues and hints stay. Returns NotFound if no such policy exists.
XResult set_scheduler(XSchedulerType type, XPolicyType policy);
// Returns the scheduler that decides at present: kSchedulerAppManaged if a global scheduler is wanted and no server is
// there.
XSchedulerType scheduler();

}  // namespace xsched::agent
