/* HwQueues over streams of Ascend NPUs.
 *
 * This version of XSched has no device for them: programs that use it compile, and are told so when they run. */
#ifndef XSCHED_ASCEND_HAL_H
#define XSCHED_ASCEND_HAL_H

#include "xsched/no_device/hal.h"

typedef void* aclrtStream;

XSCHED_NO_DEVICE(AclQueueCreate, aclrtStream)

#endif
