/* HwQueues over Level Zero's command queues and immediate command lists (libhallevelzero.so). */
#ifndef XSCHED_LEVELZERO_HAL_H
#define XSCHED_LEVELZERO_HAL_H

#include "xsched/types.h"

XSCHED_BEGIN_INTERFACE

typedef struct _ze_device_handle_t* ze_device_handle_t;
typedef struct _ze_command_queue_handle_t* ze_command_queue_handle_t;
typedef struct _ze_command_list_handle_t* ze_command_list_handle_t;

/* The wrapper of a command queue, or of an immediate command list, that the program has used under XSched's shim.
 * NotFound if it has none. */
XResult ZeQueueGet(HwQueueHandle* hwq, ze_command_queue_handle_t queue);
XResult ZeListGet(HwQueueHandle* hwq, ze_command_list_handle_t list);

/* NotSupported, always: the driver does not tell how a queue was created, which XSched needs to know. The shim sees it.
 */
static inline XResult ZeQueueCreate(HwQueueHandle* hwq, ze_device_handle_t device, ze_command_queue_handle_t queue) {
    (void)hwq;
    (void)device;
    (void)queue;
    return kXSchedErrorNotSupported;
}

XSCHED_END_INTERFACE

#endif
