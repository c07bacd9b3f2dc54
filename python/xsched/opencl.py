"""HwQueues over OpenCL command queues (xsched/opencl/hal.h, libhalopencl.so)."""
from . import _hal

LIBRARY = "libhalopencl.so"
SHIM = "libshimopencl.so"
SIGNATURES = _hal.signatures("Ocl")

cl_command_queue = int
create, get = _hal.functions(LIBRARY, "Ocl")


class XSchedOpenCL:
    """The functions of the header as static methods. `stream` is a cl_command_queue as a number (pyopencl:
    queue.int_ptr)."""

    OclQueueCreate = staticmethod(create)
    OclQueueGet = staticmethod(get)
