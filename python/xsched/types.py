"""The enumerations, limits and handle types of the C interface, by the same names (checked against include/xsched)."""
from enum import IntEnum

XDevice = int
XDeviceId = int
XQueueHandle = int
HwQueueHandle = int
HwCommandHandle = int


class XResult(IntEnum):
    """The outcome of a call."""
    kXSchedSuccess = 0
    kXSchedErrorHardware = 1
    kXSchedErrorInvalidValue = 2
    kXSchedErrorNotFound = 3
    kXSchedErrorNotAllowed = 4
    kXSchedErrorNotSupported = 5
    kXSchedErrorBadResponse = 6
    kXSchedErrorUnknown = 999


class XPlatform(IntEnum):
    kPlatformUnknown = 0
    kPlatformVPI = 1
    kPlatformCUDA = 2
    kPlatformCUDLA = 3
    kPlatformHIP = 4
    kPlatformAscend = 5
    kPlatformOpenCL = 6
    kPlatformLevelZero = 7
    kPlatformVulkan = 100


class XDeviceType(IntEnum):
    kDeviceTypeUnknown = 0
    kDeviceTypeCPU = 1
    kDeviceTypeGPU = 2
    kDeviceTypeNPU = 3
    kDeviceTypeFPGA = 4
    kDeviceTypeASIC = 5
    kDeviceTypeMCA = 6


class XPreemptLevel(IntEnum):
    """How deep a preemption reaches; 0 lets XSched choose the highest that the hardware has."""
    kPreemptLevelUnknown = 0
    kPreemptLevelBlock = 1
    kPreemptLevelDeactivate = 2
    kPreemptLevelInterrupt = 3
    kPreemptLevelMax = 4


class XQueueState(IntEnum):
    kQueueStateUnknown = 0
    kQueueStateIdle = 1
    kQueueStateReady = 2


class XQueueFeature(IntEnum):
    kQueueFeatureNone = 0
    kQueueFeatureAsyncSubmit = 1
    kQueueFeatureDynamicLevel = 2
    kQueueFeatureDynamicThreshold = 4
    kQueueFeatureDynamicBatchSize = 8
    kQueueFeatureSyncSuspend = 16
    kQueueFeatureResumeDropCommands = 32
    kQueueFeatureMaskAll = -1


class XQueueCreateFlag(IntEnum):
    kQueueCreateFlagNone = 0
    kQueueCreateFlagBlockingSubmit = 1
    kQueueCreateFlagMaskAll = -1


class XQueueSuspendFlag(IntEnum):
    kQueueSuspendFlagNone = 0
    kQueueSuspendFlagSyncHwQueue = 1
    kQueueSuspendFlagWaitAll = 2
    kQueueSuspendFlagWaitIdle = 4
    kQueueSuspendFlagMaskAll = -1


class XQueueResumeFlag(IntEnum):
    kQueueResumeFlagNone = 0
    kQueueResumeFlagDropCommands = 1
    kQueueResumeFlagMaskAll = -1


class XSchedulerType(IntEnum):
    kSchedulerUnknown = 0
    kSchedulerAppManaged = 1
    kSchedulerLocal = 2
    kSchedulerGlobal = 3
    kSchedulerMax = 4


class XPolicyType(IntEnum):
    kPolicyUnknown = 0
    kPolicyHighestPriorityFirst = 1
    kPolicyHeterogeneousHighestPriorityFirst = 2
    kPolicyCPUHighestPriorityFirst = 3
    kPolicyUtilizationPartition = 4
    kPolicyProcessUtilizationPartition = 5
    kPolicyStrictProcessUtilizationPartition = 6
    kPolicyKEarliestDeadlineFirst = 7
    kPolicyLaxity = 8
    kPolicyActiveWindowFirst = 9
    kPolicyCompletelyFairScheduler = 10
    kPolicyMultiLevelFeedbackQueue = 11
    kPolicyMax = 12


Priority = int  # larger is more urgent
PRIORITY_NO_EXECUTE = -256
PRIORITY_MIN = -255
PRIORITY_MAX = 255
PRIORITY_DEFAULT = 0

Utilization = int  # percent
UTILIZATION_MIN = 0
UTILIZATION_DEFAULT = 100
UTILIZATION_MAX = 100

Timeslice = int  # microseconds
TIMESLICE_MIN = 100
TIMESLICE_DEFAULT = 5000
TIMESLICE_MAX = 10000000
TIMESLICE_UNLIMITED = 0xFFFFFFFFFFFFFFFF

Laxity = int  # microseconds
NO_LAXITY = -1

Deadline = int  # microseconds
NO_DEADLINE = -1

XQUEUE_LAUNCH_THRESHOLD_DEFAULT = 16
XQUEUE_LAUNCH_BATCH_SIZE_DEFAULT = 8
