"""HwQueues over HIP streams (xsched/hip/hal.h, libhalhip.so)."""
import ctypes
from typing import Tuple

from . import _libraries
from ._bindings import declare
from .types import HwQueueHandle, XResult

LIBRARY = "libhalhip.so"
SHIM = "libshimhip.so"
SIGNATURES = {name: [ctypes.POINTER(ctypes.c_uint64), ctypes.c_void_p] for name in ("HipQueueCreate", "HipQueueGet")}

hipStream_t = int


def _call(name: str, stream: int) -> Tuple[XResult, HwQueueHandle]:
    hwq = ctypes.c_uint64()
    function = declare(_libraries.open_library(LIBRARY), name, SIGNATURES[name])
    return XResult(function(ctypes.byref(hwq), stream)), hwq.value


class XSchedHip:
    """The functions of the header as static methods. `stream` is a hipStream_t as a number, 0 for the default
    stream."""

    @staticmethod
    def HipQueueCreate(stream: hipStream_t) -> Tuple[XResult, HwQueueHandle]:
        return _call("HipQueueCreate", stream)

    @staticmethod
    def HipQueueGet(stream: hipStream_t) -> Tuple[XResult, HwQueueHandle]:
        return _call("HipQueueGet", stream)


create, get = XSchedHip.HipQueueCreate, XSchedHip.HipQueueGet
