// The agent: one per process. It decides where queues publish their state (shared with xserver, or private), keeps the
// connection, and carries out directives on its own thread. Started when the program makes its first queue or context,
// or by its first XQueue, never at load.
// Any thread may call any function.
//
// It fails open: without a server, or when the server goes or hangs, queues move to private memory, where nobody
// suspends them. One WARN line says so. A server that comes back is found again.
#pragma once

#include "ipc/layout.h"
#include "queue/xqueue.h"

namespace xsched::agent {

// Starts it on the first call of this process (and of fork's child). `errands`: with the thread for those (errands.h),
// which else starts when one comes.
void ensure_started(bool errands = false);
// Where the queue with this index publishes. After ensure_started.
queue::Placement placement(uint32_t index);
// Changes the scheduler of a running process; queues and hints stay. NotFound: no such policy.
XResult set_scheduler(XSchedulerType type, XPolicyType policy);
// The scheduler that decides at present: a wanted but missing global scheduler shows as app-managed.
XSchedulerType scheduler();

}  // namespace xsched::agent
