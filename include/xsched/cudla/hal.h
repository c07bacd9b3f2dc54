/* HwQueues over streams of NVIDIA's deep learning accelerators.
 *
 * This version of XSched has no device for them: programs that use it compile, and are told so when they run. */
#ifndef XSCHED_CUDLA_HAL_H
#define XSCHED_CUDLA_HAL_H

#include "xsched/types.h"

XSCHED_BEGIN_INTERFACE

typedef struct CUstream_st* cudaStream_t;

/* NotSupported, always: go on without a queue of this kind. */
static inline XResult CudlaQueueCreate(HwQueueHandle* hwq, cudaStream_t stream) {
    (void)hwq;
    (void)stream;
    return kXSchedErrorNotSupported;
}

XSCHED_END_INTERFACE

#endif
