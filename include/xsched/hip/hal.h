/* HwQueues over HIP streams (libhalhip.so). */
#ifndef XSCHED_HIP_HAL_H
#define XSCHED_HIP_HAL_H

#include "xsched/types.h"

/* As in hip/hip_runtime_api.h, which need not be installed. */
typedef struct ihipStream_t* hipStream_t;

XSCHED_BEGIN_INTERFACE

/* Wraps a stream; any thread may call it, whichever device is current to it. NULL and hipStreamLegacy mean the default
 * stream of the calling thread's current device, hipStreamPerThread the calling thread's own. The stream's device and
 * primary context are kept until HwQueueDestroy; the stream is not: destroy the HwQueue first, unless the HIP shim is
 * loaded, which then does it. InvalidValue: not a stream; NotSupported: no HIP runtime; NotAllowed: it is wrapped
 * already (use HipQueueGet). */
XResult HipQueueCreate(HwQueueHandle* hwq, hipStream_t stream);
/* The wrapper of a stream. NotFound if it has none. (Not in XSched 1.2.) */
XResult HipQueueGet(HwQueueHandle* hwq, hipStream_t stream);

XSCHED_END_INTERFACE

#endif
