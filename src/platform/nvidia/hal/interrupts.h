// Level 3 on NVIDIA: takes everything that this process runs on a GPU off it, and puts it back, by disabling and
// enabling its channels in NVIDIA's kernel driver. The context switch saves running work, which later continues. The
// timeslices of the process's channel groups are changed and restored here too.
//
// Channels belong to contexts, not to queues. So the process leaves a GPU only when all of its scheduled queues there
// ask for it, CUDA's streams and Vulkan's queues alike, and returns when the first of them no longer asks. Two queues
// of one process never stop each other this way; for them gates and windows act.
//
// The calls of the kernel driver are seen by CUDA's shim, which every program has. So this code is in CUDA's device
// library; that of Vulkan finds it there (interrupts_abi.h). Any thread may call any function; none calls CUDA or
// Vulkan.
#pragma once

#include "host/rm_control.h"
#include "platform/nvidia/hal/interrupts_abi.h"
#include "queue/device.h"
#include "xsched/types.h"

namespace xsched::nvidia {

namespace rm = cuda::rm;

// Lets a queue take part. Returns false, after one INFO line, if there is no level 3 here.
bool join(stream::Interruptible& queue, const Joining& as);
// Returns whether the queue's timeslice can be set although it has no level 3: a context that processes share. Call
// after join.
bool join_timeslice(const stream::Interruptible& queue);
void leave(stream::Interruptible& queue);
// See queue/device.h.
XResult interrupt(stream::Interruptible& queue, XqInterrupt how);
void restore(stream::Interruptible& queue);
XqStopState stop_state(const stream::Interruptible& queue);
XResult set_timeslice(stream::Interruptible& queue, uint32_t us);

// Lets all work run that this process stopped, until a queue asks again. For contexts that are about to be destroyed.
void let_everything_run();
// Notes that this process has so many more swapchains, or less (below 0). While it has any, level 3 pauses. Work that
// is off runs when the call returns.
void swapchains_made(int change);
// Lets everything run, even if xserver stopped it, and restores the driver's timeslices. Call when the scheduler is
// gone.
void restore_everything();

// Makes a call to the kernel driver (by `next`), and records what it allocates and frees.
int pass_ioctl(int fd, unsigned long request, void* argument, rm::Ioctl next);

}  // namespace xsched::nvidia
