"""HwQueues over OpenCL command queues (xsched/opencl/hal.h, libhalopencl.so)."""
import ctypes
from typing import Tuple

from . import _libraries
from ._bindings import declare
from .types import HwQueueHandle, XResult

LIBRARY = "libhalopencl.so"
SHIM = "libshimopencl.so"
SIGNATURES = {name: [ctypes.POINTER(ctypes.c_uint64), ctypes.c_void_p] for name in ("OclQueueCreate", "OclQueueGet")}

cl_command_queue = int


def _call(name: str, stream: int) -> Tuple[XResult, HwQueueHandle]:
    hwq = ctypes.c_uint64()
    function = declare(_libraries.open_library(LIBRARY), name, SIGNATURES[name])
    return XResult(function(ctypes.byref(hwq), stream)), hwq.value


class XSchedOpenCL:
    """The functions of the header as static methods. `stream` is a cl_command_queue as a number (pyopencl:
    queue.int_ptr)."""

    @staticmethod
    def OclQueueCreate(stream: cl_command_queue) -> Tuple[XResult, HwQueueHandle]:
        return _call("OclQueueCreate", stream)

    @staticmethod
    def OclQueueGet(stream: cl_command_queue) -> Tuple[XResult, HwQueueHandle]:
        return _call("OclQueueGet", stream)


create, get = XSchedOpenCL.OclQueueCreate, XSchedOpenCL.OclQueueGet
