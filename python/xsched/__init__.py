"""XSched in Python: priorities and preemption for what this process runs on accelerators.

The pleasant form:

    import xsched
    with xsched.priority(10):                      # this thread's streams, for the block
        model(batch)
    queue = xsched.Queue(torch_stream, priority=3)
    xsched.set_scheduler("local", "HPF")

and the C interface as it is: class XSched here, xsched.cuda.XSchedCuda, xsched.hip.XSchedHip and
xsched.opencl.XSchedOpenCL. `python -m xsched run --priority 5 script.py` runs a program under XSched.

Importing this loads no library and starts nothing."""
from ._bindings import XSched
from ._documented import LazyXSchedQueue, XSchedQueue
from ._platforms import PLATFORMS as _PLATFORMS
from ._priority import priority
from ._queue import Queue
from ._scheduler import set_scheduler, set_timeslice
from .errors import XSchedError
from .types import *  # noqa: F401,F403
from .types import __dict__ as _types

__version__ = "0.1.0"
__all__ = ["LazyXSchedQueue", "Queue", "XSched", "XSchedError", "XSchedQueue", "priority", "set_scheduler",
           "set_timeslice", *_PLATFORMS,
           *(name for name in _types if not name.startswith("_") and name != "IntEnum")]
