/* HwQueues over OpenCL command queues (libhalopencl.so). */
#ifndef XSCHED_OPENCL_HAL_H
#define XSCHED_OPENCL_HAL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include "xsched/types.h"

XSCHED_BEGIN_INTERFACE

/* Wraps a host command queue. The queue is retained until HwQueueDestroy. InvalidValue: null or not a command
 * queue; NotSupported: an on-device queue; NotAllowed: it is wrapped already (use OclQueueGet). */
XResult OclQueueCreate(HwQueueHandle* hwq, cl_command_queue cmdq);
/* The wrapper of a queue. NotFound if it has none. */
XResult OclQueueGet(HwQueueHandle* hwq, cl_command_queue cmdq);

XSCHED_END_INTERFACE

#endif
