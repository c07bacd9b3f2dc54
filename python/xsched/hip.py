"""HwQueues over HIP streams (xsched/hip/hal.h, libhalhip.so)."""
from . import _hal

LIBRARY = "libhalhip.so"
SHIM = "libshimhip.so"
SIGNATURES = _hal.signatures("Hip")

hipStream_t = int
create, get = _hal.functions(LIBRARY, "Hip")


class XSchedHip:
    """The functions of the header as static methods. `stream` is a hipStream_t as a number, 0 for the default
    stream."""

    HipQueueCreate = staticmethod(create)
    HipQueueGet = staticmethod(get)
