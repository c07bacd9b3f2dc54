/* HwQueues over streams of Ascend NPUs.
 *
 * This version of XSched has no device for them: programs that use it compile, and are told so when they run. */
#ifndef XSCHED_ASCEND_HAL_H
#define XSCHED_ASCEND_HAL_H

#include "xsched/types.h"

XSCHED_BEGIN_INTERFACE

typedef void* aclrtStream;

/* NotSupported, always: go on without a queue of this kind. */
static inline XResult AclQueueCreate(HwQueueHandle* hwq, aclrtStream stream) {
    (void)hwq;
    (void)stream;
    return kXSchedErrorNotSupported;
}

XSCHED_END_INTERFACE

#endif
