// Level 3: takes everything that this process runs on a GPU off it, and puts it back, by disabling and enabling its
// channels in NVIDIA's kernel driver. The context switch saves running work, which later continues.
//
// Channels belong to CUDA contexts, not to streams. So the process leaves a GPU only when all of its scheduled streams
// there ask for it, and returns when the first of them no longer asks. Two queues of one process never stop each other
// this way; for them gates and windows act.
//
// The timeslices of the process's channel groups are changed and restored here too, by set_timeslice of
// platform/stream/hal/hwqueue.h; join_interrupts and the rest of its level 3 are here as well. Any thread may call any
// function. Only join_interrupts calls CUDA.
#pragma once

#include "host/rm_control.h"

namespace xsched::cuda {

// Lets all work run that this process stopped, until a stream asks again. For contexts that are about to be destroyed.
void let_everything_run();
// Lets everything run, even if xserver stopped it, and restores the driver's timeslices. Call when the scheduler is
// gone.
void restore_everything();

// Makes a call to the kernel driver (by `next`), and records what it allocates and frees.
int pass_ioctl(int fd, unsigned long request, void* argument, rm::Ioctl next);

}  // namespace xsched::cuda
