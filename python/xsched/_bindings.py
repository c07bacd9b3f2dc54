"""class XSched: the C interface (xsched/xsched.h), function by function."""
import atexit
import ctypes
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _libraries
from .types import (Deadline, HwCommandHandle, HwQueueHandle, Laxity, Priority, Timeslice, Utilization, XPolicyType,
                    XPreemptLevel, XQueueHandle, XQueueState, XResult, XSchedulerType)

_handle, _i32, _i64 = ctypes.c_uint64, ctypes.c_int32, ctypes.c_int64
_LaunchCallback = ctypes.CFUNCTYPE(_i32, _handle, ctypes.c_void_p)

# Every function and the types of its arguments; all return an XResult.
SIGNATURES: Dict[str, List[Any]] = {
    "XQueueCreate": [ctypes.POINTER(_handle), _handle, _i64, _i64],
    "XQueueDestroy": [_handle],
    "XQueueGet": [ctypes.POINTER(_handle), _handle],
    "XQueueSetPreemptLevel": [_handle, _i64],
    "XQueueSetLaunchConfig": [_handle, _i64, _i64],
    "XQueueSubmit": [_handle, _handle],
    "XQueueWait": [_handle, _handle],
    "XQueueWaitAll": [_handle],
    "XQueueQuery": [_handle, ctypes.POINTER(_i32)],
    "XQueueSuspend": [_handle, _i64],
    "XQueueResume": [_handle, _i64],
    "XQueueProfileHwCommandCount": [_handle, ctypes.POINTER(_i64)],
    "HwQueueDestroy": [_handle],
    "HwQueueLaunch": [_handle, _handle],
    "HwQueueSynchronize": [_handle],
    "HwCommandCreateCallback": [ctypes.POINTER(_handle), _LaunchCallback, ctypes.c_void_p],
    "HwCommandDestroy": [_handle],
    "XHintSetScheduler": [_i32, _i32],
    "XHintPriority": [_handle, _i32],
    "XHintGetPriority": [_handle, ctypes.POINTER(_i32)],
    "XHintUtilization": [_handle, _i32],
    "XHintTimeslice": [_i64],
    "XHintLaxity": [_handle, _i64, _i32, _i32],
    "XHintDeadline": [_handle, _i64],
    "XHintExpect": [_handle, _i64],
    "XHintPeriod": [_handle, _i64],
    "XHintKDeadline": [ctypes.c_size_t],
    "XHintShare": [_handle, _i32],
    "XHintLimit": [_handle, _i32],
    "XHintWindow": [_handle, _i32],
    "XHintLatencyTarget": [_handle, _i64],
    "XHintGang": [_handle, _i64],
    "XHintBackground": [_handle, _i32],
    "XHintSideBySide": [_handle, _i32],
    "XHintEvictable": [_i32],
    "XHintMemoryLimit": [_i64],
    "XHintMemoryGuarantee": [_i64],
    "XHintYieldMemory": [],
    "XHintAcquireMemory": [],
}


def declare(library: ctypes.CDLL, name: str, arguments: List[Any]) -> Any:
    """The library's function of that name."""
    function = getattr(library, name)
    function.argtypes, function.restype = arguments, _i32
    return function


_functions: Dict[str, Any] = {}


def call(name: str, *arguments: Any) -> XResult:
    """Calls a function of libpreempt.so, without the interpreter's lock."""
    function = _functions.get(name)
    if function is None:
        function = declare(_libraries.open_library(_libraries.CORE), name, SIGNATURES[name])
        _functions[name] = function
    return XResult(function(*arguments))


class _Callbacks:
    """The functions that commands still may call: what C code calls must not be collected before. A command runs once,
    on any thread, and may do so after its handle was given up."""

    EXIT_SECONDS = 1.0

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.kept: Dict[int, Any] = {}      # by a number of our own
        self.number: Dict[int, int] = {}    # of a handle
        self.submitted: Dict[int, bool] = {}
        self.ran: List[int] = []            # to be let go by the next one: they may still be returning
        self.next = 1

    def wrap(self, launch: Callable[[HwQueueHandle], Optional[int]]) -> Tuple[int, Any]:
        with self.lock:
            for number in self.ran:
                self.kept.pop(number, None)
            self.ran.clear()
            number, self.next = self.next, self.next + 1

        def run(hwq: int, _: Any) -> int:
            try:
                result = launch(hwq)
                return int(XResult.kXSchedSuccess if result is None else result)
            except BaseException:  # no caller could catch it
                sys.excepthook(*sys.exc_info())
                return int(XResult.kXSchedErrorUnknown)
            finally:
                with self.lock:
                    self.submitted.pop(number, None)
                    self.ran.append(number)

        self.kept[number] = _LaunchCallback(run)
        return number, self.kept[number]

    def note_submitted(self, handle: int, submitted: bool) -> None:
        with self.lock:
            number = self.number.get(handle)
            if number is None:
                return
            if not submitted:
                self.submitted.pop(number, None)
            elif number in self.kept and number not in self.ran:
                self.submitted[number] = True

    def give_up(self, handle: int) -> None:
        with self.lock:
            number = self.number.pop(handle, None)
            if number is not None and number not in self.submitted and number not in self.ran:
                self.kept.pop(number, None)

    def at_exit(self) -> None:
        """A thread of XSched's must not enter an interpreter that is gone."""
        until = time.monotonic() + self.EXIT_SECONDS
        while self.submitted and time.monotonic() < until:
            time.sleep(0.001)


_callbacks = _Callbacks()
atexit.register(_callbacks.at_exit)


class XSched:
    """The C functions as static methods of the same names. They return an XResult. Where the C function writes through
    a pointer, they return a pair: the XResult, and that value, which means something only on success. The effect of
    each, its errors and units: include/xsched/xqueue.h and hint.h. Any thread may call any of them; the interpreter's
    lock is free meanwhile. OSError if the libraries cannot be loaded."""

    @staticmethod
    def XQueueCreate(hwq: HwQueueHandle, level: XPreemptLevel, flags: int) -> Tuple[XResult, XQueueHandle]:
        xq = _handle()
        return call("XQueueCreate", ctypes.byref(xq), hwq, level, flags), xq.value

    @staticmethod
    def XQueueDestroy(xq: XQueueHandle) -> XResult:
        return call("XQueueDestroy", xq)

    @staticmethod
    def XQueueGet(hwq: HwQueueHandle) -> Tuple[XResult, XQueueHandle]:
        xq = _handle()
        return call("XQueueGet", ctypes.byref(xq), hwq), xq.value

    @staticmethod
    def XQueueSetPreemptLevel(xq: XQueueHandle, level: int) -> XResult:
        return call("XQueueSetPreemptLevel", xq, level)

    @staticmethod
    def XQueueSetLaunchConfig(xq: XQueueHandle, threshold: int, batch_size: int) -> XResult:
        return call("XQueueSetLaunchConfig", xq, threshold, batch_size)

    @staticmethod
    def XQueueSubmit(xq: XQueueHandle, hw_cmd: HwCommandHandle) -> XResult:
        _callbacks.note_submitted(hw_cmd, True)
        result = call("XQueueSubmit", xq, hw_cmd)
        if result not in (XResult.kXSchedSuccess, XResult.kXSchedErrorNotAllowed):
            _callbacks.note_submitted(hw_cmd, False)
        return result

    @staticmethod
    def XQueueWait(xq: XQueueHandle, hw_cmd: HwCommandHandle) -> XResult:
        result = call("XQueueWait", xq, hw_cmd)
        if result == XResult.kXSchedSuccess:  # it has run, or was dropped
            _callbacks.note_submitted(hw_cmd, False)
        return result

    @staticmethod
    def XQueueWaitAll(xq: XQueueHandle) -> XResult:
        return call("XQueueWaitAll", xq)

    @staticmethod
    def XQueueQuery(xq: XQueueHandle) -> Tuple[XResult, XQueueState]:
        state = _i32()
        result = call("XQueueQuery", xq, ctypes.byref(state))
        return result, XQueueState(state.value)

    @staticmethod
    def XQueueSuspend(xq: XQueueHandle, flags: int) -> XResult:
        return call("XQueueSuspend", xq, flags)

    @staticmethod
    def XQueueResume(xq: XQueueHandle, flags: int) -> XResult:
        return call("XQueueResume", xq, flags)

    @staticmethod
    def XQueueProfileHwCommandCount(xq: XQueueHandle) -> Tuple[XResult, int]:
        count = _i64()
        return call("XQueueProfileHwCommandCount", xq, ctypes.byref(count)), count.value

    @staticmethod
    def HwQueueDestroy(hwq: HwQueueHandle) -> XResult:
        return call("HwQueueDestroy", hwq)

    @staticmethod
    def HwQueueLaunch(hwq: HwQueueHandle, hw_cmd: HwCommandHandle) -> XResult:
        return call("HwQueueLaunch", hwq, hw_cmd)

    @staticmethod
    def HwQueueSynchronize(hwq: HwQueueHandle) -> XResult:
        return call("HwQueueSynchronize", hwq)

    @staticmethod
    def HwCommandCreateCallback(launch: Callable[[HwQueueHandle], Optional[int]]) -> Tuple[XResult, HwCommandHandle]:
        """`launch(hwq)` gives work to the hardware queue; it returns an XResult, or None for success. An exception of
        it goes to sys.excepthook, and the command counts as complete."""
        number, function = _callbacks.wrap(launch)
        hw_cmd = _handle()
        result = call("HwCommandCreateCallback", ctypes.byref(hw_cmd), function, None)
        with _callbacks.lock:
            _callbacks.number[hw_cmd.value] = number
        return result, hw_cmd.value

    @staticmethod
    def HwCommandDestroy(hw_cmd: HwCommandHandle) -> XResult:
        result = call("HwCommandDestroy", hw_cmd)
        if result == XResult.kXSchedSuccess:
            _callbacks.give_up(hw_cmd)
        return result

    @staticmethod
    def XHintSetScheduler(scheduler: XSchedulerType, policy: XPolicyType) -> XResult:
        return call("XHintSetScheduler", scheduler, policy)

    @staticmethod
    def XHintPriority(xq: XQueueHandle, prio: Priority) -> XResult:
        return call("XHintPriority", xq, prio)

    @staticmethod
    def XHintGetPriority(xq: XQueueHandle) -> Tuple[XResult, Priority]:
        prio = _i32()
        return call("XHintGetPriority", xq, ctypes.byref(prio)), prio.value

    @staticmethod
    def XHintUtilization(xq: XQueueHandle, util: Utilization) -> XResult:
        return call("XHintUtilization", xq, util)

    @staticmethod
    def XHintTimeslice(ts_us: Timeslice) -> XResult:
        return call("XHintTimeslice", ts_us)

    @staticmethod
    def XHintLaxity(xq: XQueueHandle, lax_us: Laxity, lax_prio: Priority, crit_prio: Priority) -> XResult:
        return call("XHintLaxity", xq, lax_us, lax_prio, crit_prio)

    @staticmethod
    def XHintDeadline(xq: XQueueHandle, ddl_us: Deadline) -> XResult:
        return call("XHintDeadline", xq, ddl_us)

    @staticmethod
    def XHintExpect(xq: XQueueHandle, us_from_now: int) -> XResult:
        return call("XHintExpect", xq, us_from_now)

    @staticmethod
    def XHintPeriod(xq: XQueueHandle, us: int) -> XResult:
        return call("XHintPeriod", xq, us)

    @staticmethod
    def XHintKDeadline(k: int) -> XResult:
        return call("XHintKDeadline", k)

    @staticmethod
    def XHintShare(xq: XQueueHandle, percent: int) -> XResult:
        return call("XHintShare", xq, percent)

    @staticmethod
    def XHintLimit(xq: XQueueHandle, percent: int) -> XResult:
        return call("XHintLimit", xq, percent)

    @staticmethod
    def XHintWindow(xq: XQueueHandle, display: int) -> XResult:
        return call("XHintWindow", xq, display)

    @staticmethod
    def XHintLatencyTarget(xq: XQueueHandle, target: int) -> XResult:
        return call("XHintLatencyTarget", xq, target)

    @staticmethod
    def XHintGang(xq: XQueueHandle, gang: int) -> XResult:
        return call("XHintGang", xq, gang)

    @staticmethod
    def XHintBackground(xq: XQueueHandle, on: int) -> XResult:
        return call("XHintBackground", xq, on)

    @staticmethod
    def XHintSideBySide(xq: XQueueHandle, on: int) -> XResult:
        return call("XHintSideBySide", xq, on)

    @staticmethod
    def XHintEvictable(on: int) -> XResult:
        return call("XHintEvictable", on)

    @staticmethod
    def XHintMemoryLimit(limit: int) -> XResult:
        return call("XHintMemoryLimit", limit)

    @staticmethod
    def XHintMemoryGuarantee(guarantee: int) -> XResult:
        return call("XHintMemoryGuarantee", guarantee)

    @staticmethod
    def XHintYieldMemory() -> XResult:
        return call("XHintYieldMemory")

    @staticmethod
    def XHintAcquireMemory() -> XResult:
        return call("XHintAcquireMemory")
