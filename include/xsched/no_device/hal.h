/* For platforms that this version of XSched has no device for: programs that use one compile, and are told so when they
 * run. */
#ifndef XSCHED_NO_DEVICE_HAL_H
#define XSCHED_NO_DEVICE_HAL_H

#include "xsched/types.h"

/* A function that wraps a queue of type `queue`. NotSupported, always: go on without a queue of this kind. */
#define XSCHED_NO_DEVICE(function, queue)                          \
    static inline XResult function(HwQueueHandle* hwq, queue of) { \
        (void)hwq;                                                 \
        (void)of;                                                  \
        return kXSchedErrorNotSupported;                           \
    }

#endif
