/* HwQueues over streams of NVIDIA's Vision Programming Interface.
 *
 * This version of XSched has no device for them: programs that use it compile, and are told so when they run. */
#ifndef XSCHED_VPI_HAL_H
#define XSCHED_VPI_HAL_H

#include "xsched/types.h"

XSCHED_BEGIN_INTERFACE

typedef struct VPIStreamImpl* VPIStream;

/* NotSupported, always: go on without a queue of this kind. */
static inline XResult VpiQueueCreate(HwQueueHandle* hwq, VPIStream stream) {
    (void)hwq;
    (void)stream;
    return kXSchedErrorNotSupported;
}

XSCHED_END_INTERFACE

#endif
