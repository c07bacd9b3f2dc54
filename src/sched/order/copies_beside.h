// Copies of less urgent units continue beside the kernels of others, and while a process holds the device for a
// foreseen burst. But if that burst copies too, its first copies would wait for the copy under way. So shortly before
// such a burst no further copies begin: a copy as long as the longest so far would not end in time. Not thread-safe; no
// allocation.
#pragma once

#include "sched/state/pass.h"

namespace xsched::sched {

// Changes the policy's answers before they are judged: suspends units that copy shortly before such a burst.
void keep_copies_off(Pass& pass);
// Tells less urgent units when the next such burst is foreseen, or when it began, because memory that they free delays
// its copies as well (platform/stream/shim/free_wait.h).
void tell_copy_bursts(Pass& pass);

}  // namespace xsched::sched
