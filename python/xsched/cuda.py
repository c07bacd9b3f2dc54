"""HwQueues over CUDA streams (xsched/cuda/hal.h, libhalcuda.so)."""
from . import _hal

LIBRARY = "libhalcuda.so"
SHIM = "libshimcuda.so"
SIGNATURES = _hal.signatures("Cuda")

CUstream = int
create, get = _hal.functions(LIBRARY, "Cuda")


class XSchedCuda:
    """The functions of the header as static methods. `stream` is a CUstream or cudaStream_t as a number, 0 for the
    legacy default stream."""

    CudaQueueCreate = staticmethod(create)
    CudaQueueGet = staticmethod(get)
