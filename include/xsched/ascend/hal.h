/* HwQueues over streams of Ascend NPUs (libhalascend.so). */
#ifndef XSCHED_ASCEND_HAL_H
#define XSCHED_ASCEND_HAL_H

#include "xsched/types.h"

/* As in CANN's acl/acl_rt.h, which need not be installed. */
typedef void* aclrtStream;

XSCHED_BEGIN_INTERFACE

/* Wraps a stream of the calling thread's current context; NULL means that context's default stream. Destroy the
 * HwQueue before the stream, unless the Ascend shim is loaded, which then does it. InvalidValue: the thread has no
 * context; NotSupported: CANN is not installed; NotAllowed: the stream is wrapped already (use AclQueueGet). */
XResult AclQueueCreate(HwQueueHandle* hwq, aclrtStream stream);
/* The wrapper of a stream of the calling thread's current context. NotFound if it has none. (Not in XSched 1.2.) */
XResult AclQueueGet(HwQueueHandle* hwq, aclrtStream stream);

XSCHED_END_INTERFACE

#endif
