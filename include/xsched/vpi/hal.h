/* HwQueues over streams of NVIDIA's Vision Programming Interface.
 *
 * This version of XSched has no device for them: programs that use it compile, and are told so when they run. */
#ifndef XSCHED_VPI_HAL_H
#define XSCHED_VPI_HAL_H

#include "xsched/no_device/hal.h"

typedef struct VPIStreamImpl* VPIStream;

XSCHED_NO_DEVICE(VpiQueueCreate, VPIStream)

#endif
