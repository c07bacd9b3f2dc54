"""priority(): work of a block of code, at another priority."""
import contextlib
import threading
from typing import Any, Dict, List, NamedTuple, Tuple

from . import _streams
from ._bindings import XSched
from ._names import OnlyKnownNames
from ._queue import Queue
from .errors import XSchedError, within
from .types import PRIORITY_MAX, PRIORITY_MIN, XQueueHandle, XResult


class _Raised(NamedTuple):
    """A queue while at least one block sets its priority."""
    before: int
    by_thread: Dict[int, List[int]]  # each thread's blocks, the innermost last


_lock = threading.Lock()
_raised: Dict[XQueueHandle, _Raised] = {}


# _lock held. Of a thread its innermost block counts; of several threads the most urgent.
def _apply(handle: XQueueHandle, entry: _Raised) -> None:
    wanted = max((blocks[-1] for blocks in entry.by_thread.values()), default=entry.before)
    result = XSched.XHintPriority(handle, wanted)
    if result not in (XResult.kXSchedSuccess, XResult.kXSchedErrorNotFound):  # not found: the stream has gone
        raise XSchedError("XHintPriority", result)


def _enter(queue: Queue, value: int) -> XQueueHandle:
    handle = queue.handle
    with _lock:
        entry = _raised.get(handle) or _Raised(queue.priority, {})
        entry.by_thread.setdefault(threading.get_ident(), []).append(value)
        _raised[handle] = entry
        _apply(handle, entry)
    return handle


def _leave(handle: XQueueHandle, value: int) -> None:
    thread = threading.get_ident()
    with _lock:
        entry = _raised.get(handle)
        blocks = entry.by_thread.get(thread) if entry else None
        if entry is None or not blocks:
            return
        del blocks[len(blocks) - 1 - blocks[::-1].index(value)]
        if not blocks:
            del entry.by_thread[thread]
        if not entry.by_thread:
            del _raised[handle]
        _apply(handle, entry)


class priority(OnlyKnownNames, contextlib.ContextDecorator):  # noqa: N801  it reads as a function
    """Work submitted in the block has this priority; afterwards its streams have the one they had.

        with xsched.priority(10):                 # the streams that this thread works on now
            answer = model(question)
        with xsched.priority(-5, stream, other):  # these streams, queues or Queues
            ...
        @xsched.priority(10)
        def serve(question): ...

    Without streams it means torch's and cupy's current streams and numba's default one, of those that are in use;
    ValueError if none is. A priority belongs to a stream: what other threads submit to the same one shares it, and if
    they set priorities as well, the most urgent counts.

    wait: leaving the block waits until what was submitted is complete, because what is not would lose the priority.
    False: it does not wait."""

    def __init__(self, value: int, *streams: Any, wait: bool = True) -> None:
        value = within("priority", value, PRIORITY_MIN, PRIORITY_MAX)
        self._value, self._given, self._wait = value, streams, wait
        self._blocks: List[List[Tuple[Queue, XQueueHandle]]] = []  # entered and not left, the innermost last

    def _recreate_cm(self) -> "priority":
        return priority(self._value, *self._given, wait=self._wait)

    def _find_queues(self) -> List[Queue]:
        streams = self._given or _streams.current()
        if not streams:
            raise ValueError("this thread works on no stream that is known (PyTorch, cupy, numba): name it, as in "
                             f"xsched.priority({self._value}, queue)")
        found: Dict[XQueueHandle, Queue] = {}
        for stream in streams:
            queue = stream if isinstance(stream, Queue) else Queue(stream)
            found.setdefault(queue.handle, queue)
        return list(found.values())

    def __enter__(self) -> "priority":
        self._blocks.append([])
        try:
            for queue in self._find_queues():
                self._blocks[-1].append((queue, _enter(queue, self._value)))
        except BaseException:
            self._leave_block()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            for queue, _ in self._blocks[-1] if self._wait else []:
                queue.wait()
        finally:
            self._leave_block()

    def _leave_block(self) -> None:
        for _, handle in self._blocks.pop():
            _leave(handle, self._value)
