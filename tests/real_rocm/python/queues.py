"""The documents' bindings: the C interface by ctypes, and the wrappers of streams, on the main thread and another one.
    queues.py       status 0, and "queues are as they should be"
"""
import ctypes
import threading
from ctypes import byref, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p

import torch
import xsched
from xsched_hip import XSchedHIP

INVALID_VALUE, UNKNOWN_LEVEL = 2, 0
READY, IDLE = 2, 1
MS = 1_000_000
preempt, hal = ctypes.CDLL("libpreempt.so"), ctypes.CDLL("libhalhip.so")
hip = torch._hip
problems = []


def expect(found, wanted, what):
    if found != wanted:
        problems.append(f"{what}: {found}, not {wanted}")


def by_hand(priority):
    """As the documents do it: HipQueueCreate, XQueueCreate, XHintPriority, on the thread that they are called on. The
    queue is suspended with a kernel behind it, which then runs."""
    stream, hwq, xq = torch.Stream(), c_uint64(), c_uint64()
    expect(hal.HipQueueCreate(byref(hwq), stream._stream), 0, "HipQueueCreate")
    expect(preempt.XQueueCreate(byref(xq), hwq, c_int64(UNKNOWN_LEVEL), c_int64(0)), 0, "XQueueCreate")
    expect(preempt.XHintPriority(xq, c_int32(priority)), 0, "XHintPriority")
    model = torch.Kernels(1, MS)
    expect(preempt.XQueueSuspend(xq, c_int64(0)), 0, "XQueueSuspend")
    with torch.cuda.stream(stream):
        model(None)
    expect(hip.hipStreamQuery(stream._stream), 600, "work of a suspended queue is not ready")
    state = c_int()
    expect((preempt.XQueueQuery(xq, byref(state)), state.value), (0, READY), "XQueueQuery")
    expect(preempt.XQueueResume(xq, c_int64(0)), 0, "XQueueResume")
    expect(preempt.XQueueWaitAll(xq), 0, "XQueueWaitAll")
    stream.synchronize()
    expect(model.counted(), 1, "kernels after the resume")
    expect(preempt.XQueueDestroy(xq), 0, "XQueueDestroy")
    expect(preempt.HwQueueDestroy(hwq), 0, "HwQueueDestroy")


def gone():
    """A stream that is destroyed is an invalid value, not an error of the runtime's (709)."""
    stream, hwq = torch.Stream(), c_uint64()
    number = stream.cuda_stream
    expect(hip.hipStreamDestroy(stream._stream), 0, "hipStreamDestroy")
    expect(hal.HipQueueCreate(byref(hwq), c_void_p(number)), INVALID_VALUE, "HipQueueCreate of a stream that is gone")


def wrapped():
    stream = torch.Stream(priority=-1)
    queue = xsched.XSchedQueue(stream, 3)
    expect(queue.priority, 3, "the wrapper's priority")
    expect(xsched.LazyXSchedQueue(torch.Stream(), priority=3).ensure_created() != 0, True, "a lazy wrapper's queue")
    again = XSchedHIP.RegisterStream(stream.cuda_stream)
    expect(again.handle, queue.handle, "the queue of a stream by its number")
    XSchedHIP.UnregisterStream(stream.cuda_stream)
    model = torch.Kernels(3, MS)
    with torch.cuda.stream(stream):
        model(None)
    stream.synchronize()
    expect(model.counted(), 3, "kernels of a wrapped stream")


def everything(priority):
    for step in (lambda: by_hand(priority), gone, wrapped):
        try:
            step()
        except Exception as error:  # into the list: on another thread it would be lost
            problems.append(repr(error))


everything(1)
thread = threading.Thread(target=everything, args=(2,))
thread.start()
thread.join()
print("\n".join(problems) or "queues are as they should be")
raise SystemExit(1 if problems else 0)
