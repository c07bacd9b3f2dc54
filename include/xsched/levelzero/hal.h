/* HwQueues over Level Zero command queues.
 *
 * This version of XSched has no device for them: programs that use it compile, and are told so when they run. */
#ifndef XSCHED_LEVELZERO_HAL_H
#define XSCHED_LEVELZERO_HAL_H

#include "xsched/types.h"

XSCHED_BEGIN_INTERFACE

typedef struct _ze_device_handle_t* ze_device_handle_t;
typedef struct _ze_command_queue_handle_t* ze_command_queue_handle_t;

/* NotSupported, always: go on without a queue of this kind. */
static inline XResult ZeQueueCreate(HwQueueHandle* hwq, ze_device_handle_t device, ze_command_queue_handle_t queue) {
    (void)hwq;
    (void)device;
    (void)queue;
    return kXSchedErrorNotSupported;
}

XSCHED_END_INTERFACE

#endif
