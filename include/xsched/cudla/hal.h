/* HwQueues over streams of NVIDIA's deep learning accelerators.
 *
 * This version of XSched has no device for them: programs that use it compile, and are told so when they run. */
#ifndef XSCHED_CUDLA_HAL_H
#define XSCHED_CUDLA_HAL_H

#include "xsched/no_device/hal.h"

typedef struct CUstream_st* cudaStream_t;

XSCHED_NO_DEVICE(CudlaQueueCreate, cudaStream_t)

#endif
