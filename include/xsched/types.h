/* Types, numbers and limits of the XSched interface.
 *
 * The values are part of the binary interface (compatible with XSched 1.2) and never change. Handles are opaque
 * 64-bit numbers: 0 is never a valid handle. A destroyed handle is never reused for another object of the same process
 * while that process lives. Passing a stale one returns kXSchedErrorNotFound. All functions may be called from any
 * thread unless they say otherwise. */
#ifndef XSCHED_TYPES_H
#define XSCHED_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* Around declarations of functions: they are C's, and visible where a program hides what it does not say is seen. */
#ifdef __cplusplus
#define XSCHED_BEGIN_INTERFACE _Pragma("GCC visibility push(default)") extern "C" {
#define XSCHED_END_INTERFACE \
    }                        \
    _Pragma("GCC visibility pop")
#else
#define XSCHED_BEGIN_INTERFACE _Pragma("GCC visibility push(default)")
#define XSCHED_END_INTERFACE _Pragma("GCC visibility pop")
#endif

/* The outcome of a call. Every value has a sentence: see src/base/result.def. */
typedef enum {
    kXSchedSuccess = 0,
    kXSchedErrorHardware = 1,      /* the vendor's driver refused or failed; the log names its code */
    kXSchedErrorInvalidValue = 2,  /* an argument is out of its documented range, or a null pointer */
    kXSchedErrorNotFound = 3,      /* no object has this handle */
    kXSchedErrorNotAllowed = 4,    /* the object's state, or the caller's rights, forbid it */
    kXSchedErrorNotSupported = 5,  /* this hardware, driver or build cannot do it */
    kXSchedErrorBadResponse = 6,   /* xserver answered with something this version does not understand */
    kXSchedErrorUnknown = 999
} XResult;

typedef enum {
    kPlatformUnknown = 0,
    kPlatformVPI = 1,
    kPlatformCUDA = 2,
    kPlatformCUDLA = 3,
    kPlatformHIP = 4,
    kPlatformAscend = 5,
    kPlatformOpenCL = 6,
    kPlatformLevelZero = 7,
    kPlatformVulkan = 100 /* not in XSched 1.2, whose later versions may go on at 8 */
} XPlatform;

typedef enum {
    kDeviceTypeUnknown = 0,
    kDeviceTypeCPU = 1,
    kDeviceTypeGPU = 2,
    kDeviceTypeNPU = 3,
    kDeviceTypeFPGA = 4,
    kDeviceTypeASIC = 5,
    kDeviceTypeMCA = 6
} XDeviceType;

/* How deep a preemption reaches. Each level includes those below it. */
typedef enum {
    kPreemptLevelUnknown = 0,
    kPreemptLevelBlock = 1,      /* commands not yet given to the hardware stay back */
    kPreemptLevelDeactivate = 2, /* commands the hardware has but did not start do not start */
    kPreemptLevelInterrupt = 3,  /* the running command is taken off and continues later */
    kPreemptLevelMax = 4         /* one more than the last */
} XPreemptLevel;

typedef enum {
    kQueueStateUnknown = 0,
    kQueueStateIdle = 1, /* everything submitted has completed */
    kQueueStateReady = 2 /* something submitted has not completed */
} XQueueState;

/* The operations that a queue supports. In all masks below, MaskAll (-1) stands for every bit. */
typedef enum { /* bits */
               kQueueFeatureNone = 0,
               kQueueFeatureAsyncSubmit = 1,
               kQueueFeatureDynamicLevel = 2,
               kQueueFeatureDynamicThreshold = 4,
               kQueueFeatureDynamicBatchSize = 8,
               kQueueFeatureSyncSuspend = 16,
               kQueueFeatureResumeDropCommands = 32,
               kQueueFeatureMaskAll = -1
} XQueueFeature;

typedef enum { /* bits */
               kQueueCreateFlagNone = 0,
               kQueueCreateFlagBlockingSubmit = 1, /* XQueueSubmit returns once the command is launched */
               kQueueCreateFlagMaskAll = -1
} XQueueCreateFlag;

typedef enum { /* bits */
               kQueueSuspendFlagNone = 0,
               kQueueSuspendFlagSyncHwQueue = 1, /* return when what was in flight has completed */
               kQueueSuspendFlagWaitAll = 2,     /* let everything submitted so far complete first */
               kQueueSuspendFlagWaitIdle = 4,    /* wait until the queue is idle, also of what comes meanwhile */
               kQueueSuspendFlagMaskAll = -1
} XQueueSuspendFlag;

typedef enum { /* bits */
               kQueueResumeFlagNone = 0,
               kQueueResumeFlagDropCommands = 1, /* commands still held back are dropped, not run */
               kQueueResumeFlagMaskAll = -1
} XQueueResumeFlag;

typedef enum {
    kSchedulerUnknown = 0,
    kSchedulerAppManaged = 1, /* only the program's own XQueueSuspend and XQueueResume decide */
    kSchedulerLocal = 2,      /* this process schedules its own queues */
    kSchedulerGlobal = 3,     /* xserver schedules the queues of all processes */
    kSchedulerMax = 4         /* one more than the last */
} XSchedulerType;

/* A build need not have all of them: `xcli policy -n` lists those it has. */
typedef enum {
    kPolicyUnknown = 0,
    kPolicyHighestPriorityFirst = 1,
    kPolicyHeterogeneousHighestPriorityFirst = 2,
    kPolicyCPUHighestPriorityFirst = 3,
    kPolicyUtilizationPartition = 4,
    kPolicyProcessUtilizationPartition = 5,
    kPolicyStrictProcessUtilizationPartition = 6,
    kPolicyKEarliestDeadlineFirst = 7,
    kPolicyLaxity = 8,
    kPolicyActiveWindowFirst = 9,
    kPolicyCompletelyFairScheduler = 10,
    kPolicyMultiLevelFeedbackQueue = 11,
    kPolicyMax = 12 /* one more than the last */
} XPolicyType;

typedef uint64_t XDevice;         /* XDeviceType in the upper 32 bits, XDeviceId in the lower */
typedef uint32_t XDeviceId;       /* PCI address where the device has one */
typedef uint64_t XQueueHandle;    /* our preemptible queue */
typedef uint64_t HwQueueHandle;   /* the vendor's queue (stream, command queue), wrapped */
typedef uint64_t HwCommandHandle; /* one launch, copy, fill or callback */

/* Called when a callback command is launched: it gives work to `hwq`. Any result but kXSchedSuccess is logged; the
 * command then counts as complete. Runs on the thread that submitted the command or on one of XSched's, never with a
 * lock of XSched's held. It may call any function of XSched but XQueueWait and XQueueWaitAll on its own queue. */
typedef XResult (*LaunchCallback)(HwQueueHandle hwq, void* data);

typedef int32_t Priority;    /* larger is more urgent */
typedef int32_t Utilization; /* percent of the device, 0..100 */
typedef int64_t Timeslice;   /* microseconds */
typedef int64_t Laxity;      /* microseconds */
typedef int64_t Deadline;    /* microseconds from a command's submission */

#define PRIORITY_NO_EXECUTE (-256) /* below every priority: never runs while set */
#define PRIORITY_MIN (-255)
#define PRIORITY_MAX 255
#define PRIORITY_DEFAULT 0

#define UTILIZATION_MIN 0
#define UTILIZATION_DEFAULT 100
#define UTILIZATION_MAX 100

#define TIMESLICE_MIN 100
#define TIMESLICE_DEFAULT 5000
#define TIMESLICE_MAX 10000000
#define TIMESLICE_UNLIMITED UINT64_MAX /* as a Timeslice -1: the longest turn there is, TIMESLICE_MAX */

#define NO_LAXITY (-1)   /* the queue is never critical; 0 says the same */
#define NO_DEADLINE (-1) /* the queue has none; 0 says the same */

#define XQUEUE_LAUNCH_THRESHOLD_DEFAULT 16
#define XQUEUE_LAUNCH_BATCH_SIZE_DEFAULT 8

#endif
