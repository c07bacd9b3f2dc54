"""HwQueues over CUDA streams (xsched/cuda/hal.h, libhalcuda.so)."""
from . import _hal

SHIM, SIGNATURES, create, get = _hal.of_platform("cuda", "Cuda")
CUstream = int


class XSchedCuda:
    """The functions of the header as static methods. `stream` is a CUstream or cudaStream_t as a number, 0 for the
    legacy default stream."""

    CudaQueueCreate = staticmethod(create)
    CudaQueueGet = staticmethod(get)
