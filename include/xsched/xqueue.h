/* XQueues: preemptible queues over the vendor's hardware queues.
 *
 * A HwQueue comes from a platform's hal.h (OclQueueCreate, CudaQueueCreate, ...). An XQueue is made over it; work is
 * submitted to the XQueue through XQueueSubmit, or, where a shim is loaded, through the vendor's own calls. This
 * program or the scheduler can then suspend and resume it.
 *
 * Any thread may call any function, several at once; none throws, ends the process or prints to standard output.
 * Every function that takes a handle returns NotFound if no object has it, also when it has been destroyed: handles
 * are not used again. A value that comes back through a pointer means something only if the function succeeded. After
 * fork the child works with the same handles, on its own copy of the queues. */
#ifndef XSCHED_XQUEUE_H
#define XSCHED_XQUEUE_H

#include "xsched/types.h"

XSCHED_BEGIN_INTERFACE

/* Makes an XQueue over `hwq`. `level` is an XPreemptLevel, or 0 for the highest that the hardware supports; `flags`
 * is a mask of XQueueCreateFlag. Window, priority and the other hints are what the environment says
 * (XSCHED_AUTO_XQUEUE_*). InvalidValue: `xq` is NULL, level or flags are out of range; NotSupported: the hardware
 * lacks this level; NotAllowed: the HwQueue has an XQueue already (use XQueueGet), or the process has 1024 of them.
 * The level chosen is written to the log at INFO. */
XResult XQueueCreate(XQueueHandle* xq, HwQueueHandle hwq, int64_t level, int64_t flags);
/* Resumes the queue if this program suspended it, waits for everything submitted to it, and removes it; the HwQueue
 * stays. Blocks as long as the scheduler keeps the queue off. */
XResult XQueueDestroy(XQueueHandle xq);
/* The XQueue of `hwq`. NotFound: it has none. InvalidValue: `xq` is NULL. */
XResult XQueueGet(XQueueHandle* xq, HwQueueHandle hwq);

/* `level` is an XPreemptLevel; it counts from the next suspension on. InvalidValue: none; NotSupported: the hardware
 * lacks it, and the queue keeps the one it has. */
XResult XQueueSetPreemptLevel(XQueueHandle xq, int64_t level);
/* At most `threshold` (1..65535) commands in flight, launched `batch_size` (1..threshold) at a time. 0 or -1 leaves a
 * value as it is; a threshold below the batch size lowers the batch size to it. InvalidValue: out of that range. */
XResult XQueueSetLaunchConfig(XQueueHandle xq, int64_t threshold, int64_t batch_size);

/* Submits a command, once. It is launched in order with everything else on this queue: at once and on this thread if
 * the queue is open and its window has room, else later. On CUDA and HIP nothing is kept back in XSched's memory. There
 * this thread waits for room, and what the command launches waits behind a closed gate while the queue is suspended.
 * NotAllowed: the command was submitted before. */
XResult XQueueSubmit(XQueueHandle xq, HwCommandHandle hw_cmd);
/* Returns when what the command launched has completed, at once if it has; a dropped command is complete. While the
 * queue is suspended that is after it is resumed. On CUDA and HIP it waits for what was launched after the command as
 * well. NotAllowed: the command was not submitted; InvalidValue: it was submitted to another queue; Hardware: the
 * driver says that the work failed. */
XResult XQueueWait(XQueueHandle xq, HwCommandHandle hw_cmd);
/* Returns when everything submitted before this call has completed. Hardware: the driver says that some of it failed.
 */
XResult XQueueWaitAll(XQueueHandle xq);
/* Tells whether any submitted command has not completed. InvalidValue: `state` is NULL. */
XResult XQueueQuery(XQueueHandle xq, XQueueState* state);

/* Stops the queue with its preempt level; `flags` is a mask of XQueueSuspendFlag. Without flags it returns at once.
 * Suspends and resumes do not add up: one resume undoes any number of suspends. The scheduler's own decisions are
 * kept apart: a queue runs when neither suspends it. Suspending a suspended queue succeeds and waits for nothing.
 * InvalidValue: unknown flags. */
XResult XQueueSuspend(XQueueHandle xq, int64_t flags);
/* Lets the queue go on, as far as the scheduler does; `flags` is a mask of XQueueResumeFlag. Resuming a queue that is
 * not suspended succeeds. InvalidValue: unknown flags. NotSupported, with kQueueResumeFlagDropCommands: the driver
 * has the commands already (CUDA, HIP) and runs them; the queue is resumed all the same. */
XResult XQueueResume(XQueueHandle xq, int64_t flags);
/* How many commands have been submitted to the queue so far. InvalidValue: `count` is NULL. */
XResult XQueueProfileHwCommandCount(XQueueHandle xq, int64_t* count);

/* Removes the wrapper made by a platform's QueueCreate; the vendor's queue stays. NotAllowed: an XQueue uses it. */
XResult HwQueueDestroy(HwQueueHandle hwq);
/* Launches a command at once and on this thread, past any XQueue. NotAllowed: it was submitted or launched before. */
XResult HwQueueLaunch(HwQueueHandle hwq, HwCommandHandle hw_cmd);
/* Returns when everything that the driver has for this queue is complete. Hardware: the driver says that it failed. */
XResult HwQueueSynchronize(HwQueueHandle hwq);

/* A command that, when launched, calls `launch(hwq, data)`; it is complete when that has returned and what it gave to
 * the HwQueue is complete. `data` is the program's own and must live until then. InvalidValue: `hw_cmd` or `launch`
 * is NULL. */
XResult HwCommandCreateCallback(HwCommandHandle* hw_cmd, LaunchCallback launch, void* data);
/* Gives the handle up; a submitted command still runs. */
XResult HwCommandDestroy(HwCommandHandle hw_cmd);

XSCHED_END_INTERFACE

#endif
