/* Hints: what a program tells the scheduler about its queues. They are kept when the policy changes; a policy
 * uses those it knows. All functions may be called from any thread. */
#ifndef XSCHED_HINT_H
#define XSCHED_HINT_H

#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Which scheduler this process uses from now on. `policy` matters for the local scheduler alone.
 * NotSupported if this build lacks the policy. */
XResult XHintSetScheduler(XSchedulerType scheduler, XPolicyType policy);
/* -255..255, or PRIORITY_NO_EXECUTE: the queue runs nothing until it gets another priority. */
XResult XHintPriority(XQueueHandle xq, Priority prio);
/* Share of the device in percent, 0..100. */
XResult XHintUtilization(XQueueHandle xq, Utilization util);
/* Length of a turn in microseconds, 100..10,000,000; for this process. */
XResult XHintTimeslice(Timeslice ts_us);
/* The queue is urgent (priority `crit_prio`) once less than `lax_us` remain, and has `lax_prio` before. */
XResult XHintLaxity(XQueueHandle xq, Laxity lax_us, Priority lax_prio, Priority crit_prio);
/* Microseconds from submission within which work should complete. */
XResult XHintDeadline(XQueueHandle xq, Deadline ddl_us);
/* How many of the earliest deadlines run at once (>= 1). */
XResult XHintKDeadline(size_t k);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
