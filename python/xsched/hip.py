"""HwQueues over HIP streams (xsched/hip/hal.h, libhalhip.so)."""
from . import _hal

SHIM, SIGNATURES, create, get = _hal.of_platform("hip", "Hip")
hipStream_t = int


class XSchedHip:
    """The functions of the header as static methods. `stream` is a hipStream_t as a number, 0 for the default
    stream."""

    HipQueueCreate = staticmethod(create)
    HipQueueGet = staticmethod(get)
