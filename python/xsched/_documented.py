"""The names that the project's requirements use for a stream's queue, over class Queue."""
from typing import Any, Optional

from ._queue import Queue
from .types import XQueueHandle


class XSchedQueue(Queue):
    """XSchedQueue(stream, priority): the XQueue is made at once. `stream` may be whatever Queue takes."""

    def __init__(self, stream: Any = None, priority: Optional[int] = None, **more: Any) -> None:
        more.setdefault("lazy", False)
        super().__init__(stream, priority, **more)


class LazyXSchedQueue(XSchedQueue):
    """The same, made by ensure_created() or at the first use of the object."""

    def __init__(self, stream: Any = None, priority: Optional[int] = None, **more: Any) -> None:
        super().__init__(stream, priority, **{**more, "lazy": True})

    def ensure_created(self) -> XQueueHandle:
        """Makes the XQueue unless that has been done; its handle. Any thread, any number of times."""
        return self.handle
