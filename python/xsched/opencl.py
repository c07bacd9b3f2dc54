"""HwQueues over OpenCL command queues (xsched/opencl/hal.h, libhalopencl.so)."""
from . import _hal

SHIM, SIGNATURES, create, get = _hal.of_platform("opencl", "Ocl")
cl_command_queue = int


class XSchedOpenCL:
    """The functions of the header as static methods. `stream` is a cl_command_queue as a number (pyopencl:
    queue.int_ptr)."""

    OclQueueCreate = staticmethod(create)
    OclQueueGet = staticmethod(get)
