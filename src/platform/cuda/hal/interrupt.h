// Level 3: takes everything that this process runs on a GPU off it, and puts it back, by disabling and enabling its
// channels in NVIDIA's kernel driver. Context switches save what ran: it goes on where it stood.
//
// The channels belong to CUDA contexts, not to streams. So a GPU is left only when every stream of this process that is
// scheduled there asks for it. It is taken again when the first of them asks no more: two queues of one process never
// stop each other this way; there gates and windows act.
//
// Timeslices of the process's channel groups are changed and put back here too, by platform/stream/hal/hwqueue.h's
// set_timeslice; join_interrupts and the rest of its level 3 are here as well. Any thread may call any function; none
// calls CUDA, but for join_interrupts.
#pragma once

#include "host/rm_control.h"

namespace xsched::cuda {

// Lets all work run that this process stopped, until a stream asks again: for contexts that are about to go.
void let_everything_run();
// Everything runs, whoever stopped it, and timeslices are the driver's own: for a scheduler that is gone.
void restore_everything();

// One call to the kernel driver on its way (`next` makes it): records what it allocates and frees.
int pass_ioctl(int fd, unsigned long request, void* argument, rm::Ioctl next);

}  // namespace xsched::cuda
