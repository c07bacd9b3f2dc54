"""HIP streams by number, as the project's requirements name them:

    from xsched_hip import XSchedHIP
    XSchedHIP.RegisterStream(stream.cuda_stream)

The same as xsched.Queue(stream, platform="hip")."""
from typing import Dict, Optional

from xsched import Queue

_registered: Dict[int, Queue] = {}


class XSchedHIP:
    """Any thread may call these."""

    @staticmethod
    def RegisterStream(stream: int, priority: Optional[int] = None) -> Queue:
        """The XQueue of this hipStream_t (a number; 0: the default stream), which is made now if there is none.
        XSchedError if the number is no stream."""
        queue = Queue(stream, priority, platform="hip", lazy=False)
        return _registered.setdefault(int(stream), queue)

    @staticmethod
    def UnregisterStream(stream: int) -> None:
        """Ends the stream's XQueue if RegisterStream made one; otherwise does nothing."""
        queue = _registered.pop(int(stream), None)
        if queue is not None:
            queue.close()


__all__ = ["XSchedHIP"]
