"""XSched in Python: priorities and preemption for what this process runs on accelerators.

The pleasant form:

    import xsched
    with xsched.priority(10):                      # this thread's streams, for the block
        model(batch)
    queue = xsched.Queue(torch_stream, priority=3)
    xsched.set_scheduler("local", "HPF")
    for program in xsched.programs(): print(program.pid, program.held_ms)   # xsched.stats: what xserver knows

and the C interface as it is: class XSched here, xsched.cuda.XSchedCuda, xsched.hip.XSchedHip and
xsched.opencl.XSchedOpenCL. `python -m xsched run --priority 5 script.py` runs a program under XSched.
In notebooks: `%load_ext xsched`, then `%xsched priority 10`.

Importing this loads no library and starts nothing."""
from ._bindings import XSched
from ._documented import LazyXSchedQueue, XSchedQueue
from ._magic import load_ipython_extension  # noqa: F401  of %load_ext xsched
from ._memory import acquire, set_evictable, set_memory_guarantee, set_memory_limit, yield_device
from ._platforms import PLATFORMS as _PLATFORMS
from ._priority import priority
from ._queue import Queue
from ._scheduler import set_scheduler, set_timeslice
from .errors import NoServerError, NotFoundError, OutOfRangeError, RefusedError, XSchedError
from .stats import (Explanation, ProcessStatus, ProgramStats, QueueStats, Status, explain, programs,  # noqa: F401
                    queues, status)
from .types import *  # noqa: F401,F403
from .types import __dict__ as _types

__version__ = "0.9.0"
__all__ = ["Explanation", "LazyXSchedQueue", "NoServerError", "NotFoundError", "OutOfRangeError", "ProcessStatus",
           "ProgramStats", "Queue", "QueueStats", "RefusedError", "Status", "XSched", "XSchedError", "XSchedQueue",
           "acquire", "explain", "priority", "programs", "queues", "set_evictable", "set_memory_guarantee",
           "set_memory_limit", "set_scheduler", "set_timeslice", "status", "yield_device", *_PLATFORMS,
           *(name for name in _types if not name.startswith("_") and name != "IntEnum")]
