/* Every name of the XSched 1.2 interface, used as programs use it. Compiled alone, as C and as C++, by every compiler
 * there is (compile_test.py). */
#ifdef WITH_VENDOR_HEADERS_FIRST
#include VENDOR_HEADER
#endif
#ifdef WITH_OPENCL
#include "xsched/opencl/hal.h"
#endif
#include "xsched/cuda/hal.h"
#include "xsched/hip/hal.h"
#include "xsched/hip/hal/hal.h"
#include "xsched/xsched.h"

/* A negative array size is a compiler's way to say that the two differ. */
#define IS(line, condition) typedef char unequal_in_line_##line[(condition) ? 1 : -1]
#define IS_IN_LINE(line, condition) IS(line, condition)
#define SAME(condition) IS_IN_LINE(__LINE__, condition)

SAME(kXSchedSuccess == 0);
SAME(kXSchedErrorHardware == 1);
SAME(kXSchedErrorInvalidValue == 2);
SAME(kXSchedErrorNotFound == 3);
SAME(kXSchedErrorNotAllowed == 4);
SAME(kXSchedErrorNotSupported == 5);
SAME(kXSchedErrorBadResponse == 6);
SAME(kXSchedErrorUnknown == 999);

SAME(kPlatformUnknown == 0);
SAME(kPlatformVPI == 1);
SAME(kPlatformCUDA == 2);
SAME(kPlatformCUDLA == 3);
SAME(kPlatformHIP == 4);
SAME(kPlatformAscend == 5);
SAME(kPlatformOpenCL == 6);
SAME(kPlatformLevelZero == 7);

SAME(kDeviceTypeUnknown == 0);
SAME(kDeviceTypeCPU == 1);
SAME(kDeviceTypeGPU == 2);
SAME(kDeviceTypeNPU == 3);
SAME(kDeviceTypeFPGA == 4);
SAME(kDeviceTypeASIC == 5);
SAME(kDeviceTypeMCA == 6);

SAME(kPreemptLevelUnknown == 0);
SAME(kPreemptLevelBlock == 1);
SAME(kPreemptLevelDeactivate == 2);
SAME(kPreemptLevelInterrupt == 3);
SAME(kPreemptLevelMax == 4);

SAME(kQueueStateUnknown == 0);
SAME(kQueueStateIdle == 1);
SAME(kQueueStateReady == 2);

SAME(kQueueFeatureNone == 0);
SAME(kQueueFeatureAsyncSubmit == 1);
SAME(kQueueFeatureDynamicLevel == 2);
SAME(kQueueFeatureDynamicThreshold == 4);
SAME(kQueueFeatureDynamicBatchSize == 8);
SAME(kQueueFeatureSyncSuspend == 16);
SAME(kQueueFeatureResumeDropCommands == 32);
SAME(kQueueFeatureMaskAll == -1);

SAME(kQueueCreateFlagNone == 0);
SAME(kQueueCreateFlagBlockingSubmit == 1);
SAME(kQueueCreateFlagMaskAll == -1);
SAME(kQueueSuspendFlagNone == 0);
SAME(kQueueSuspendFlagSyncHwQueue == 1);
SAME(kQueueSuspendFlagWaitAll == 2);
SAME(kQueueSuspendFlagWaitIdle == 4);
SAME(kQueueSuspendFlagMaskAll == -1);
SAME(kQueueResumeFlagNone == 0);
SAME(kQueueResumeFlagDropCommands == 1);
SAME(kQueueResumeFlagMaskAll == -1);

SAME(kSchedulerUnknown == 0);
SAME(kSchedulerAppManaged == 1);
SAME(kSchedulerLocal == 2);
SAME(kSchedulerGlobal == 3);
SAME(kSchedulerMax == 4);

SAME(kPolicyUnknown == 0);
SAME(kPolicyHighestPriorityFirst == 1);
SAME(kPolicyHeterogeneousHighestPriorityFirst == 2);
SAME(kPolicyCPUHighestPriorityFirst == 3);
SAME(kPolicyUtilizationPartition == 4);
SAME(kPolicyProcessUtilizationPartition == 5);
SAME(kPolicyStrictProcessUtilizationPartition == 6);
SAME(kPolicyKEarliestDeadlineFirst == 7);
SAME(kPolicyLaxity == 8);
SAME(kPolicyActiveWindowFirst == 9);
SAME(kPolicyCompletelyFairScheduler == 10);
SAME(kPolicyMultiLevelFeedbackQueue == 11);
SAME(kPolicyMax == 12);

SAME(sizeof(XDevice) == 8 && (XDevice)-1 > 0);
SAME(sizeof(XDeviceId) == 4 && (XDeviceId)-1 > 0);
SAME(sizeof(XQueueHandle) == 8 && (XQueueHandle)-1 > 0);
SAME(sizeof(HwQueueHandle) == 8 && (HwQueueHandle)-1 > 0);
SAME(sizeof(HwCommandHandle) == 8 && (HwCommandHandle)-1 > 0);
SAME(sizeof(Priority) == 4 && (Priority)-1 < 0);
SAME(sizeof(Utilization) == 4 && (Utilization)-1 < 0);
SAME(sizeof(Timeslice) == 8 && (Timeslice)-1 < 0);
SAME(sizeof(Laxity) == 8 && (Laxity)-1 < 0);
SAME(sizeof(Deadline) == 8 && (Deadline)-1 < 0);
SAME(sizeof(XResult) == 4 && sizeof(XPreemptLevel) == 4 && sizeof(XQueueState) == 4);

SAME(PRIORITY_NO_EXECUTE == -256 && PRIORITY_MIN == -255 && PRIORITY_MAX == 255 && PRIORITY_DEFAULT == 0);
SAME(UTILIZATION_MIN == 0 && UTILIZATION_MAX == 100 && UTILIZATION_DEFAULT == 100);
SAME(TIMESLICE_MIN == 100 && TIMESLICE_DEFAULT == 5000 && TIMESLICE_MAX == 10000000);
SAME(TIMESLICE_UNLIMITED == UINT64_MAX && NO_LAXITY == -1 && NO_DEADLINE == -1);

static XResult launch(HwQueueHandle hwq, void* data) {
    (void)hwq;
    (void)data;
    return kXSchedSuccess;
}

/* Every call as programs write it; never made. */
void every_call(CUstream cuda, hipStream_t hip);
void every_call(CUstream cuda, hipStream_t hip) {
    HwQueueHandle hwq = 0;
    XQueueHandle xq = 0;
    HwCommandHandle command = 0;
    XQueueState state = kQueueStateUnknown;
    int64_t count = 0;
    LaunchCallback callback = launch;
    XResult result = CudaQueueCreate(&hwq, cuda);
    if (result == kXSchedErrorNotAllowed) result = CudaQueueGet(&hwq, cuda);
    result = HipQueueCreate(&hwq, hip);
#ifdef WITH_OPENCL
    result = OclQueueCreate(&hwq, (cl_command_queue)0);
#endif
    result = XQueueCreate(&xq, hwq, kPreemptLevelBlock, kQueueCreateFlagNone);
    result = XQueueGet(&xq, hwq);
    result = XQueueSetPreemptLevel(xq, kPreemptLevelBlock);
    result = XQueueSetPreemptLevel(xq, count);
    result = XQueueSetLaunchConfig(xq, 16, 8);
    result = HwCommandCreateCallback(&command, callback, &count);
    result = XQueueSubmit(xq, command);
    result = XQueueWait(xq, command);
    result = XQueueWaitAll(xq);
    result = XQueueQuery(xq, &state);
    result = XQueueSuspend(xq, kQueueSuspendFlagSyncHwQueue | kQueueSuspendFlagWaitAll);
    result = XQueueResume(xq, kQueueResumeFlagDropCommands);
    result = XQueueProfileHwCommandCount(xq, &count);
    result = HwQueueLaunch(hwq, command);
    result = HwQueueSynchronize(hwq);
    result = HwCommandDestroy(command);
    result = XHintSetScheduler(kSchedulerLocal, kPolicyHighestPriorityFirst);
    result = XHintPriority(xq, 1);
    result = XHintUtilization(xq, UTILIZATION_DEFAULT);
    result = XHintTimeslice(TIMESLICE_DEFAULT);
    result = XHintTimeslice((Timeslice)TIMESLICE_UNLIMITED);
    result = XHintLaxity(xq, NO_LAXITY, PRIORITY_MIN, PRIORITY_MAX);
    result = XHintDeadline(xq, NO_DEADLINE);
    result = XHintKDeadline(1);
    result = XHintBackground(xq, 1);
    result = XHintSideBySide(xq, 1);
    result = XHintEvictable(1);
    result = XHintMemoryLimit(0);
    result = XHintMemoryGuarantee(0);
    result = XHintYieldMemory();
    result = XHintAcquireMemory();
    result = XQueueDestroy(xq);
    result = HwQueueDestroy(hwq);
    (void)result;
}
