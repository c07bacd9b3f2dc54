// A process's priority for the CPU scheduler, as a number that policies can order (CHPF). Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace xsched::server {

// Returns the priority of the process's main thread; larger is more urgent: 200 for SCHED_DEADLINE, 100 plus its
// priority for SCHED_FIFO and SCHED_RR, -nice for normal threads, -30 for SCHED_IDLE. 0: there is no such process.
// Needs no rights.
int32_t cpu_priority_of(pid_t pid);

}  // namespace xsched::server
