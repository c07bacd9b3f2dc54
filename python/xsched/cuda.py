"""HwQueues over CUDA streams (xsched/cuda/hal.h, libhalcuda.so)."""
import ctypes
from typing import Tuple

from . import _libraries
from ._bindings import declare
from .types import HwQueueHandle, XResult

LIBRARY = "libhalcuda.so"
SHIM = "libshimcuda.so"
SIGNATURES = {name: [ctypes.POINTER(ctypes.c_uint64), ctypes.c_void_p] for name in ("CudaQueueCreate", "CudaQueueGet")}

CUstream = int


def _call(name: str, stream: int) -> Tuple[XResult, HwQueueHandle]:
    hwq = ctypes.c_uint64()
    function = declare(_libraries.open_library(LIBRARY), name, SIGNATURES[name])
    return XResult(function(ctypes.byref(hwq), stream)), hwq.value


class XSchedCuda:
    """The functions of the header as static methods. `stream` is a CUstream or cudaStream_t as a number, 0 for the
    legacy default stream."""

    @staticmethod
    def CudaQueueCreate(stream: CUstream) -> Tuple[XResult, HwQueueHandle]:
        return _call("CudaQueueCreate", stream)

    @staticmethod
    def CudaQueueGet(stream: CUstream) -> Tuple[XResult, HwQueueHandle]:
        return _call("CudaQueueGet", stream)


create, get = XSchedCuda.CudaQueueCreate, XSchedCuda.CudaQueueGet
