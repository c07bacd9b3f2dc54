/* Hints: what a program tells the scheduler about its queues.
 *
 * All functions may be called from any thread and at any time; they return at once. A hint stays until it is changed:
 * it survives a change of the policy or scheduler and the loss and return of xserver. A policy uses the hints it
 * knows. If `xcli hint` changes the same hint of a queue, the last one counts. All may return NotFound (no XQueue has
 * this handle) besides what their comments say. */
#ifndef XSCHED_HINT_H
#define XSCHED_HINT_H

#include "xsched/types.h"

XSCHED_BEGIN_INTERFACE

/* Which scheduler this process uses from now on, in place of the one that XSCHED_SCHEDULER names. `policy` is the
 * local scheduler's; the others ignore it (xserver's is set with `xcli policy`). Queues, hints and suspensions by the
 * program stay as they are; what the earlier scheduler had suspended is let go, for the new one to decide.
 * InvalidValue: no scheduler of this name; NotSupported: this build lacks the policy. Without an xserver to be found
 * kSchedulerGlobal succeeds as well: the process runs unscheduled, says so in the log, and looks for one. */
XResult XHintSetScheduler(XSchedulerType scheduler, XPolicyType policy);

/* How urgent the queue is: PRIORITY_MIN (-255) to PRIORITY_MAX (255), larger is more urgent; or PRIORITY_NO_EXECUTE
 * (-256): nothing of the queue starts until it gets another priority. It counts for what the queue holds already,
 * too. InvalidValue: out of that range. */
XResult XHintPriority(XQueueHandle xq, Priority prio);
/* The priority that the queue has now. It may come from this program, the environment, the stream's own priority, or
 * xcli. InvalidValue: `prio` is NULL. (Not in XSched 1.2.) */
XResult XHintGetPriority(XQueueHandle xq, Priority* prio);

/* The share of the device in percent that the partition policies give it, 0..100. InvalidValue: out of that range. */
XResult XHintUtilization(XQueueHandle xq, Utilization util);

/* The share of the device in percent that the queue's program gets whenever it asks for it (policies PUP and SPUP),
 * 0..100; 0: not said, it shares what others leave. Of a program's queues the largest counts. InvalidValue: out of that
 * range. (Not in XSched 1.2.) */
XResult XHintShare(XQueueHandle xq, int32_t percent);
/* The part of the device in percent that the queue's program gets at most, under every policy, 1..100; 0: no limit. Of
 * a program's queues the smallest counts. InvalidValue: out of that range. (Not in XSched 1.2.) */
XResult XHintLimit(XQueueHandle xq, int32_t percent);

/* The queue's program has the active window of this display (policy AWF), counted from 1 to 255; 0: of none.
 * InvalidValue: out of that range. (Not in XSched 1.2.) */
XResult XHintWindow(XQueueHandle xq, int32_t display);

/* How long 99 of 100 bursts of the queue's work may take (policy AUTO): microseconds up to an hour; less than 0:
 * percent of what they take alone, down to -10,000 (-130: 1.3 times); 0: no target. Of a program's queues the smallest
 * but 0 counts. InvalidValue: out of that range. (Not in XSched 1.2.) */
XResult XHintLatencyTarget(XQueueHandle xq, int64_t target);

/* The queue is in a gang: queues of one user with the same number run and stop together, on whatever devices and in
 * whatever processes they are. 1 is what xcli calls gang "a", 2 is "b". The number of a name of at
 * most 12 characters is a sum. Letters a to z are 1 to 26, digits 27 to 36, "-" 37. The first one counts once, the next
 * one 38 times, and so on. 0: in none. InvalidValue: out of range. (Not in XSched 1.2.) */
XResult XHintGang(XQueueHandle xq, int64_t gang);

/* The length of a turn in microseconds, for policies that take turns: TIMESLICE_MIN (100) to TIMESLICE_MAX
 * (10,000,000), or TIMESLICE_UNLIMITED. For all queues of this process, those that are made later included.
 * InvalidValue: out of that range. */
XResult XHintTimeslice(Timeslice ts_us);

/* Once less than `lax_us` microseconds remain until the deadline beyond the work that is left, the queue has priority
 * `crit_prio`; until then it has `lax_prio`. 0 or NO_LAXITY: never. InvalidValue: a time below NO_LAXITY, or a
 * priority out of range. */
XResult XHintLaxity(XQueueHandle xq, Laxity lax_us, Priority lax_prio, Priority crit_prio);

/* Within how many microseconds from its submission the queue's work should be complete. 0 or NO_DEADLINE: none.
 * InvalidValue: below NO_DEADLINE. */
XResult XHintDeadline(XQueueHandle xq, Deadline ddl_us);

/* The queue's next burst of work begins about `us_from_now` microseconds from now, at most an hour. Less urgent work is
 * then off the device when it comes: no earlier than it takes to get there, and at most 50 ms ahead. If nothing comes
 * within a millisecond after that time, the others go on. It counts once, and a later call replaces it; 0 takes it
 * back. InvalidValue: out of that range. (Not in XSched 1.2.) */
XResult XHintExpect(XQueueHandle xq, int64_t us_from_now);
/* The same for a queue that works in a rhythm: from the begin of each burst to that of the next one it is `us`
 * microseconds, at most an hour. Work that begins earlier than three quarters of the period belongs to the burst
 * before; after four bursts that stayed away none is expected until one comes. 0: no rhythm. InvalidValue: out of that
 * range. (Not in XSched 1.2.) */
XResult XHintPeriod(XQueueHandle xq, int64_t us);

/* How many programs with the earliest deadlines run at once on a device, for policy KEDF; more than 1024 count as that.
 * For all queues of this process, those that are made later included; of several programs' the largest counts.
 * InvalidValue: 0. */
XResult XHintKDeadline(size_t k);

/* 1: the queue's work is less urgent than that of any priority, and makes way for programs that XSched does not see,
 * such as a desktop's: little of it is in flight at a time, and on NVIDIA it gets a short timeslice in the hardware. 0:
 * the queue has its priority. More than 1 counts as 1. (Not in XSched 1.2.) */
XResult XHintBackground(XQueueHandle xq, int32_t on);

/* 1: the queue's work runs beside more urgent work of other processes that say the same, and less urgent work beside
 * it, as long as trials find that the more urgent bursts become hardly longer. That pays where the device runs kernels
 * of several programs side by side: in one context of MPS, or on a CPU. 0: less urgent work makes room. More than 1
 * counts as 1. (Not in XSched 1.2.) */
XResult XHintSideBySide(XQueueHandle xq, int32_t on);

/* 1: device memory that this process allocates from now on may be moved to the host while a program that is more
 * urgent, or equal, needs the room (CUDA); 0: none of it is moved from now on. Memory that was allocated while it was 0
 * stays on the device. InvalidValue: another number. (Not in XSched 1.2.) */
XResult XHintEvictable(int32_t on);
/* How many bytes this process may allocate on each device (CUDA); 0: no limit. An allocation beyond it fails as it does
 * when the device is full. Memory that the process has already stays. InvalidValue: below 0, or more than 2^48. (Not in
 * XSched 1.2.) */
XResult XHintMemoryLimit(int64_t bytes);
/* How many bytes of this process's memory stay on each device whichever program needs the room (CUDA); 0: none.
 * InvalidValue: below 0, or more than 2^48. (Not in XSched 1.2.) */
XResult XHintMemoryGuarantee(int64_t bytes);

/* This process does without its memory on the devices for now (CUDA): all of it that can be moved goes to the host,
 * whatever is guaranteed, and its threads wait from then on where they would use the device, until XHintAcquireMemory.
 * Returns when the memory is away, or after a minute. Call it when the process's work is complete: it is waited for.
 * NotSupported: none of the memory can be moved, or no xserver is there; Hardware: it did not go. (Not in XSched 1.2.)
 */
XResult XHintYieldMemory(void);
/* Takes the memory back, and returns when all of it is on the devices again: as soon as there is room, in the order of
 * priorities. Succeeds at once if it was not away. (Not in XSched 1.2.) */
XResult XHintAcquireMemory(void);

XSCHED_END_INTERFACE

#endif
