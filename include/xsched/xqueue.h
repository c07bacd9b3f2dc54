/* XQueues: preemptible queues over the vendor's hardware queues.
 *
 * A HwQueue comes from a platform's hal.h (OclQueueCreate, CudaQueueCreate, ...). An XQueue is made over it;
 * work submitted to the XQueue (through XQueueSubmit, or, where a shim is loaded, through the vendor's own
 * calls) can then be suspended and resumed by this program or by the scheduler. Any thread may call any
 * function; none throws, exits or prints to standard output. */
#ifndef XSCHED_XQUEUE_H
#define XSCHED_XQUEUE_H

#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Called when a callback command is launched; `hwq` is the HwQueue it was submitted to. */
typedef XResult (*XLaunchCallback)(HwQueueHandle hwq, void* data);

/* Makes an XQueue over `hwq`. `level` is an XPreemptLevel, or 0 for the highest that the hardware supports;
 * `flags` is a mask of XQueueCreateFlag. Errors: InvalidValue (null pointer, level or flags out of range),
 * NotFound (no such HwQueue), NotSupported (the hardware lacks this level), NotAllowed (the HwQueue has an
 * XQueue already). The chosen level is written to the log at INFO. */
XResult XQueueCreate(XQueueHandle* xq, HwQueueHandle hwq, int64_t level, int64_t flags);
/* Launches what is still held back, waits for it, and removes the XQueue; the HwQueue stays. */
XResult XQueueDestroy(XQueueHandle xq);
/* The XQueue of `hwq`. NotFound if it has none. */
XResult XQueueGet(XQueueHandle* xq, HwQueueHandle hwq);

/* NotSupported if the hardware lacks the level. Takes effect with the next suspend. */
XResult XQueueSetPreemptLevel(XQueueHandle xq, XPreemptLevel level);
/* At most `threshold` (1..65535) commands in flight, refilled `batch_size` (1..threshold) at a time.
 * 0 or -1 leaves a value as it is; a threshold below the batch size lowers the batch size to it. */
XResult XQueueSetLaunchConfig(XQueueHandle xq, int64_t threshold, int64_t batch_size);

/* Submits a command once. NotAllowed if the command was submitted before. */
XResult XQueueSubmit(XQueueHandle xq, HwCommandHandle hw_cmd);
/* Returns when the command has completed (also at once if it did before). */
XResult XQueueWait(XQueueHandle xq, HwCommandHandle hw_cmd);
/* Returns when everything submitted before this call has completed. */
XResult XQueueWaitAll(XQueueHandle xq);
XResult XQueueQuery(XQueueHandle xq, XQueueState* state);

/* Stops the queue with its preempt level; `flags` is a mask of XQueueSuspendFlag. Suspending a suspended
 * queue is a success. The scheduler's own decisions are kept apart: a queue runs when neither suspends it. */
XResult XQueueSuspend(XQueueHandle xq, int64_t flags);
XResult XQueueResume(XQueueHandle xq, int64_t flags);
/* How many commands have been submitted to the queue so far. */
XResult XQueueProfileHwCommandCount(XQueueHandle xq, int64_t* count);

/* Removes the wrapper made by a platform's QueueCreate; the vendor's queue stays. NotAllowed while an XQueue
 * uses it. */
XResult HwQueueDestroy(HwQueueHandle hwq);
/* Launches a command at once, past any XQueue. */
XResult HwQueueLaunch(HwQueueHandle hwq, HwCommandHandle hw_cmd);
XResult HwQueueSynchronize(HwQueueHandle hwq);

/* A command that, when launched, calls `launch(hwq, data)` on one of XSched's threads or the submitter's. */
XResult HwCommandCreateCallback(HwCommandHandle* hw_cmd, XLaunchCallback launch, void* data);
/* NotAllowed while the command is submitted and not complete. */
XResult HwCommandDestroy(HwCommandHandle hw_cmd);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
