/* HwQueues over CUDA streams (libhalcuda.so). */
#ifndef XSCHED_CUDA_HAL_H
#define XSCHED_CUDA_HAL_H

#include "xsched/types.h"

/* As in cuda.h, which need not be installed; a cudaStream_t is the same. */
typedef struct CUstream_st* CUstream;

XSCHED_BEGIN_INTERFACE

/* Wraps a stream; any thread may call it, with or without a current context. NULL and cudaStreamLegacy mean the legacy
 * default stream of the calling thread's current context (of the first device if there is none). cudaStreamPerThread
 * means the calling thread's own. The primary context is retained until HwQueueDestroy; the stream is not: destroy the
 * HwQueue first, unless the CUDA shim is loaded, which then does it. InvalidValue: not a stream; NotSupported: no CUDA
 * driver; NotAllowed: it is wrapped already (use CudaQueueGet). */
XResult CudaQueueCreate(HwQueueHandle* hwq, CUstream stream);
/* The wrapper of a stream. NotFound if it has none. */
XResult CudaQueueGet(HwQueueHandle* hwq, CUstream stream);

XSCHED_END_INTERFACE

#endif
