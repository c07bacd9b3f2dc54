// Copies of less urgent units go on beside others' kernels, and beside what holds the device for a burst that is
// foreseen. But where that burst copies as well, its first copies would wait for the one under way. So before such a
// burst no more of them begin: from when the last one, as long as ever, would still end in time. Not thread-safe; no
// allocation.
#pragma once

#include "sched/state/pass.h"

namespace xsched::sched {

// Changes the policy's answers, before they are judged.
void keep_copies_off(Pass& pass);
// Likewise memory that they free keeps such copies waiting (platform/stream/shim/free_wait.h): each less urgent unit's
// verdict says when the next such burst is foreseen, or began.
void tell_copy_bursts(Pass& pass);

}  // namespace xsched::sched
