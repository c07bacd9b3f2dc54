/* Functions of the XSched 1.2 interface that this version cannot serve say so. */
#include "xsched/cudla/hal.h"
#include "xsched/levelzero/hal.h"
#include "xsched/vpi/hal.h"

XResult every_missing_device(void);
XResult every_missing_device(void) {
    HwQueueHandle hwq = 0;
    if (ZeQueueCreate(&hwq, (ze_device_handle_t)0, (ze_command_queue_handle_t)0) != kXSchedErrorNotSupported)
        return kXSchedErrorUnknown;
    if (CudlaQueueCreate(&hwq, (cudaStream_t)0) != kXSchedErrorNotSupported) return kXSchedErrorUnknown;
    return VpiQueueCreate(&hwq, (VPIStream)0);
}
