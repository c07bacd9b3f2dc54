"""class Queue: the XQueue of a stream, in Python's manner."""
import contextlib
import threading
from typing import Any, Iterator, Optional

from . import _streams
from ._bindings import XSched
from ._hinted import HOUR_US, hinted
from ._names import OnlyKnownNames
from .errors import XSchedError, check, within
from .types import (PRIORITY_MAX, PRIORITY_NO_EXECUTE, XPreemptLevel, XQueueCreateFlag, XQueueHandle, XQueueResumeFlag,
                    XQueueState, XQueueSuspendFlag, XResult)

MOST_IN_FLIGHT = 65535
_GONE = XResult.kXSchedErrorNotFound
_NO_LEVEL = "its queue cannot have that level now: start the program with 'xcli run --level {}' if 'xcli doctor' has it"


class Queue(OnlyKnownNames):
    """The XQueue of a stream; it is made if the stream has none.

        queue = xsched.Queue(torch.cuda.Stream(), priority=3)
        with queue.suspended():
            ...                      # nothing of the stream starts meanwhile
        queue.priority = 5

    `stream` is a torch.cuda.Stream, a cupy or numba stream, a pyopencl.CommandQueue, anything with __cuda_stream__, or
    a handle as a number; None is the default stream. Of a number `platform` says what it is: "cuda", "hip" or "opencl";
    without it that is the framework's in use.

    lazy: when the XQueue is made. False: now. True: at the first use of this object. None (the default): now, but for
    a default stream that is given as a number (or None), because making its XQueue would start the driver and choose
    its device: that waits for the first use.

    The XQueue belongs to the stream and not to this object: it, its priority and its settings stay when the object
    goes, in whatever order Python takes things down; close() removes an XQueue that this object made. The stream is
    kept alive by this object. Any thread may use it. Methods raise XSchedError if a call does not succeed."""

    def __init__(self, stream: Any = None, priority: Optional[int] = None, *, platform: Optional[str] = None,
                 level: int = XPreemptLevel.kPreemptLevelUnknown, threshold: Optional[int] = None,
                 batch_size: Optional[int] = None, lazy: Optional[bool] = None) -> None:
        if priority is not None:
            priority = within("priority", priority, PRIORITY_NO_EXECUTE, PRIORITY_MAX)
        level = within("level", level, XPreemptLevel.kPreemptLevelUnknown, XPreemptLevel.kPreemptLevelInterrupt)
        self._stream = _streams.understand(stream, platform)
        self._wanted_priority = priority
        self._level, self._threshold, self._batch_size = level, threshold, batch_size
        self._lock = threading.Lock()
        self._handle: XQueueHandle = 0
        self._hwq = 0
        self._made_hwq = self._made_queue = self._closed = False
        if self._stream.exists if lazy is None else not lazy:
            self.handle  # noqa: B018  makes it

    # --- life

    @property
    def handle(self) -> XQueueHandle:
        """The XQueueHandle, for class XSched. XSchedError (NotAllowed) after close()."""
        with self._lock:
            if self._closed:
                raise XSchedError("Queue", XResult.kXSchedErrorNotAllowed, "it is closed: make a new xsched.Queue")
            if self._handle == 0:
                with self._stream.enter():
                    self._make()
            return self._handle

    @property
    def made(self) -> bool:
        """Returns whether the XQueue has been looked up or made."""
        return self._handle != 0

    def _make(self) -> None:
        _streams.warn_unless_scheduled(self._stream.platform)
        self._wrap()
        result, handle = XSched.XQueueGet(self._hwq)
        if result == _GONE:
            result, handle = XSched.XQueueCreate(self._hwq, self._level, XQueueCreateFlag.kQueueCreateFlagNone)
            self._made_queue = result == XResult.kXSchedSuccess
            if result == XResult.kXSchedErrorNotAllowed:  # the shim was quicker
                result, handle = XSched.XQueueGet(self._hwq)
        check("XQueueCreate", result)
        if not self._made_queue and self._level != XPreemptLevel.kPreemptLevelUnknown:
            check("XQueueSetPreemptLevel", XSched.XQueueSetPreemptLevel(handle, self._level))
        if self._threshold is not None or self._batch_size is not None:
            check("XQueueSetLaunchConfig",
                  XSched.XQueueSetLaunchConfig(handle, self._threshold or 0, self._batch_size or 0))
        if self._wanted_priority is not None:
            check("XHintPriority", XSched.XHintPriority(handle, self._wanted_priority))
        self._handle = handle

    def _wrap(self) -> None:
        platform, handle = self._stream.platform, self._stream.handle
        result = _GONE
        with contextlib.suppress(AttributeError):  # a library that cannot tell
            result, self._hwq = platform.get(handle)
        if result == XResult.kXSchedSuccess:
            return
        result, self._hwq = platform.create(handle)
        self._made_hwq = result == XResult.kXSchedSuccess
        if result == XResult.kXSchedErrorNotAllowed:
            result, self._hwq = platform.get(handle)
        if result == XResult.kXSchedErrorInvalidValue:
            name = platform.__name__.rsplit(".", 1)[-1]
            kind = "command queue" if name == "opencl" else "stream"
            raise XSchedError("QueueCreate", result, f"{handle} (0x{handle:x}) is no {kind} of {name}, or it is gone")
        check("QueueCreate", result)

    def close(self) -> None:
        """Waits for the stream's work and removes the XQueue and the wrapper of the stream, if this object made them.
        An object that is gone already is no error. From then on every use of this object is one: XSchedError."""
        with self._lock:
            self._closed = True
            handle, self._handle = self._handle, 0
            if handle and self._made_queue:
                result = XSched.XQueueDestroy(handle)
                if result != _GONE:
                    check("XQueueDestroy", result)
            if handle and self._made_hwq:
                result = XSched.HwQueueDestroy(self._hwq)
                if result not in (_GONE, XResult.kXSchedErrorNotAllowed):
                    check("HwQueueDestroy", result)
            self._made_queue = self._made_hwq = False

    def __enter__(self) -> "Queue":
        self.handle  # noqa: B018
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        name = self._stream.platform.__name__.rsplit(".", 1)[-1]
        return f"<xsched.Queue 0x{self._handle:x} of {name} stream 0x{self._stream.handle:x}>"

    # --- control

    def suspend(self, *, sync: bool = False, wait: bool = False) -> None:
        """Nothing of the stream starts from now on. sync: returns when what was on the device has ended; wait: lets
        what was submitted so far complete first."""
        flags = XQueueSuspendFlag.kQueueSuspendFlagSyncHwQueue * sync
        flags |= XQueueSuspendFlag.kQueueSuspendFlagWaitAll * wait
        check("XQueueSuspend", XSched.XQueueSuspend(self.handle, flags))

    def resume(self, *, drop: bool = False) -> bool:
        """Lets the stream go on. drop: what was held back is dropped, not run; False if the driver had it already."""
        flags = XQueueResumeFlag.kQueueResumeFlagDropCommands * drop
        result = XSched.XQueueResume(self.handle, flags)
        if drop and result == XResult.kXSchedErrorNotSupported:
            return False
        check("XQueueResume", result)
        return True

    @contextlib.contextmanager
    def suspended(self, *, sync: bool = False) -> Iterator["Queue"]:
        """Suspended within the block; resumed at its end, also after an exception."""
        self.suspend(sync=sync)
        try:
            yield self
        finally:
            self.resume()

    def wait(self) -> None:
        """Returns when everything submitted so far has completed."""
        check("XQueueWaitAll", XSched.XQueueWaitAll(self.handle))

    # --- questions and settings

    @property
    def state(self) -> XQueueState:
        """Ready: something submitted has not completed; Idle: everything has."""
        result, state = XSched.XQueueQuery(self.handle)
        check("XQueueQuery", result)
        return state

    @property
    def commands(self) -> int:
        """How many commands have been submitted so far."""
        result, count = XSched.XQueueProfileHwCommandCount(self.handle)
        check("XQueueProfileHwCommandCount", result)
        return count

    @property
    def priority(self) -> int:
        """-255..255, larger is more urgent; -256 (PRIORITY_NO_EXECUTE): nothing runs."""
        result, priority = XSched.XHintGetPriority(self.handle)
        check("XHintGetPriority", result)
        return priority

    @priority.setter
    def priority(self, value: int) -> None:
        value = within("priority", value, PRIORITY_NO_EXECUTE, PRIORITY_MAX)
        check("XHintPriority", XSched.XHintPriority(self.handle, value), value)

    @property
    def level(self) -> Optional[int]:
        """The preempt level that was asked for: 1 (Block), 2 (Deactivate) or 3 (Interrupt), if the hardware has it;
        None: the highest that it has. The level in use: xsched.queues()."""
        return self._level or None

    @level.setter
    def level(self, value: int) -> None:
        value = within("level", value, XPreemptLevel.kPreemptLevelBlock, XPreemptLevel.kPreemptLevelInterrupt)
        result = XSched.XQueueSetPreemptLevel(self.handle, value)
        if result == XResult.kXSchedErrorNotSupported:
            raise XSchedError(f"XQueueSetPreemptLevel({value})", result, _NO_LEVEL.format(value))
        check("XQueueSetPreemptLevel", result, value)
        self._level = value

    @property
    def threshold(self) -> Optional[int]:
        """Most commands in flight; None: not set through this object."""
        return self._threshold

    @threshold.setter
    def threshold(self, value: int) -> None:
        self.set_window(value, self._batch_size or 0)

    @property
    def batch_size(self) -> Optional[int]:
        """How many commands are launched at a time, at most the threshold; None: not set through this object."""
        return self._batch_size

    @batch_size.setter
    def batch_size(self, value: int) -> None:
        self.set_window(self._threshold or 0, value)

    period_us = hinted("XHintPeriod", 0, HOUR_US, "us", """From the begin of each burst of work to that of the next one,
        in microseconds: less urgent work is off the device by then. 0: no rhythm.""")
    deadline_us = hinted("XHintDeadline", 0, HOUR_US, "us", "Microseconds after submission; 0: none.")
    utilization = hinted("XHintUtilization", 0, 100, "percent", "A share in percent, for UP.")
    share = hinted("XHintShare", 0, 100, "percent", "Percent of the device that the program gets whenever it asks.")
    limit = hinted("XHintLimit", 0, 100, "percent", "Percent of the device that the program gets at most; 0: no limit.")
    latency_target_us = hinted("XHintLatencyTarget", -10000, HOUR_US, "us", """What 99 of 100 bursts may take; below 0:
        percent of the time alone; 0: no target.""")
    active_window = hinted("XHintWindow", 0, 255, "", """The program has the active window of this display, counted from
        1; 0: of none.""")

    def expect(self, microseconds: int) -> None:
        """The next burst of work begins so long from now: less urgent work is off the device by then. 0 takes it
        back."""
        microseconds = within("microseconds", microseconds, 0, HOUR_US)
        check("XHintExpect", XSched.XHintExpect(self.handle, microseconds), microseconds)

    def hint(self, *, utilization: Optional[int] = None, deadline_us: Optional[int] = None) -> None:
        """The properties of these names, several at a time."""
        if utilization is not None:
            self.utilization = utilization
        if deadline_us is not None:
            self.deadline_us = deadline_us

    # --- setters from before there were properties

    def set_period(self, microseconds: int) -> None:
        """`period_us`."""
        self.period_us = microseconds

    def set_level(self, level: int) -> None:
        """`level`."""
        self.level = level

    def set_window(self, threshold: int, batch_size: int = 0) -> None:
        """At most `threshold` commands in flight, launched `batch_size` at a time (0: as it is)."""
        threshold = within("threshold", threshold, 0, MOST_IN_FLIGHT)
        batch_size = within("batch_size", batch_size, 0, MOST_IN_FLIGHT)
        check("XQueueSetLaunchConfig", XSched.XQueueSetLaunchConfig(self.handle, threshold, batch_size), threshold,
              batch_size)
        self._threshold, self._batch_size = threshold or self._threshold, batch_size or self._batch_size


__all__ = ["Queue", "XSchedError"]
