// The process's memory on each device, as far as the scheduler may move it or is asked for it: keeps the words of
// ipc/device_memory.h, and carries out orders on the errands' thread.
#pragma once

#include <cstdint>

#include "base/hints.h"
#include "ipc/layout.h"
#include "xsched/types.h"

namespace xsched::queue {

// Takes a rule that the program itself gives for its memory (XHintEvictable, XHintMemoryLimit, XHintMemoryGuarantee).
// Any thread.
void tell_memory_rule(base::HintId id, int64_t value);

// Sends the process's memory to the host, and takes it back (XHintYieldMemory, XHintAcquireMemory). They wait.
XResult yield_memory();
XResult acquire_memory();

// Publishes into this header from now on: the scheduler has changed. Agent's thread, or a thread that starts the agent.
void attach_memory(ipc::Header& header);
// Forgets all memory. Call in a forked child, which has no device.
void forget_memory();
// Tells the scheduler the rules in force, if they have changed. Any thread.
void look_at_memory_rules();
// Returns whether run_memory_errands has something to do. Any thread.
bool has_memory_errand();
// Carries out the scheduler's orders. Errands' thread alone. Returns when to look again, in ns from now; 0: when asked.
int64_t run_memory_errands();

}  // namespace xsched::queue
