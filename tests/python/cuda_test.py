#!/usr/bin/python3
"""The Python package over real XQueues, on the fake CUDA driver with the shim preloaded. The test is an ordinary
program: it opens the driver by name and launches."""
import asyncio
import concurrent.futures
import ctypes
import gc
import sys
import threading
import time
import unittest
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import xsched  # noqa: E402
from xsched import XQueueState, XResult, XSched  # noqa: E402

OK = XResult.kXSchedSuccess
NON_BLOCKING = 1


class Driver:
    """The driver as a program sees it, which is the shim; one context and one word that streams write."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        context, pointer, memory = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.context = context
        self.call("cuCtxSetCurrent", context)
        self.call("cuMemHostAlloc", ctypes.byref(memory), ctypes.c_size_t(4), 2)
        self.call("cuMemHostGetDevicePointer_v2", ctypes.byref(pointer), memory, 0)
        self.pointer, self.memory = pointer, ctypes.cast(memory, ctypes.POINTER(ctypes.c_uint32))

    def call(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result != 0:
            raise RuntimeError(f"{name} returned {result}")

    def new_stream(self):
        stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), NON_BLOCKING)
        return Stream(self, stream.value)

    @property
    def word(self):
        return self.memory[0]


class Stream:
    """Looks like cuda.core's."""

    def __init__(self, driver, handle):
        self.driver, self.handle = driver, handle

    def __cuda_stream__(self):
        return 0, self.handle

    def write(self, value):
        self.driver.call("cuMemsetD32Async", self.driver.pointer, value, ctypes.c_size_t(1),
                         ctypes.c_void_p(self.handle))

    def destroy(self):
        self.driver.call("cuStreamDestroy_v2", ctypes.c_void_p(self.handle))


driver = None


def setUpModule():
    global driver
    driver = Driver()


def eventually(condition):
    until = time.monotonic() + 10
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.001)
    return True


class WithStream(unittest.TestCase):
    def setUp(self):
        self.stream = driver.new_stream()
        self.addCleanup(self.stream.destroy)
        driver.call("cuCtxSynchronize")  # streams of tests before this one may still write
        driver.memory[0] = 0


class CInterface(WithStream):
    def make(self):
        result, hwq = xsched.cuda.XSchedCuda.CudaQueueCreate(self.stream.handle)
        self.assertEqual(result, OK)
        result, xq = XSched.XQueueCreate(hwq, xsched.XPreemptLevel.kPreemptLevelBlock, 0)
        self.assertEqual(result, OK)
        return hwq, xq

    def test_what_is_no_stream_is_said_with_its_value(self):
        for number in (1234, self.stream.handle + 3):
            self.assertEqual(xsched.cuda.XSchedCuda.CudaQueueCreate(number)[0], XResult.kXSchedErrorInvalidValue)
            with self.assertRaises(xsched.XSchedError) as caught:
                xsched.Queue(number, platform="cuda")
            self.assertIn(f"{number} (0x{number:x}) is no stream of cuda", str(caught.exception))

    def test_results_and_pairs(self):
        hwq, xq = self.make()
        self.assertEqual(xsched.cuda.XSchedCuda.CudaQueueCreate(self.stream.handle)[0], XResult.kXSchedErrorNotAllowed)
        self.assertEqual(xsched.cuda.XSchedCuda.CudaQueueGet(self.stream.handle), (OK, hwq))
        self.assertEqual(XSched.XQueueGet(hwq), (OK, xq))
        self.assertEqual(XSched.XQueueSetLaunchConfig(xq, 4, 8), OK)
        self.assertEqual(XSched.XHintPriority(xq, 5), OK)
        self.assertEqual(XSched.XHintGetPriority(xq), (OK, 5))
        self.assertEqual(XSched.XHintPriority(xq, 300), XResult.kXSchedErrorInvalidValue)
        self.assertEqual(XSched.XHintUtilization(xq, 50), OK)
        self.assertEqual(XSched.XHintTimeslice(xsched.TIMESLICE_UNLIMITED), OK)
        self.assertEqual(XSched.XHintTimeslice(xsched.TIMESLICE_DEFAULT), OK)
        self.assertEqual(XSched.XHintLaxity(xq, xsched.NO_LAXITY, 0, 1), OK)
        self.assertEqual(XSched.XHintDeadline(xq, xsched.NO_DEADLINE), OK)
        self.assertEqual(XSched.XHintExpect(xq, 1000), OK)
        self.assertEqual(XSched.XHintPeriod(xq, 0), OK)
        self.assertEqual(XSched.XHintKDeadline(2), OK)
        self.assertEqual(XSched.XQueueSetPreemptLevel(xq, 3), XResult.kXSchedErrorNotSupported)
        self.assertEqual(XSched.XQueueQuery(xq), (OK, XQueueState.kQueueStateIdle))
        self.assertEqual(XSched.XQueueProfileHwCommandCount(xq), (OK, 0))
        self.assertEqual(XSched.XQueueDestroy(xq), OK)
        self.assertEqual(XSched.XQueueDestroy(xq), XResult.kXSchedErrorNotFound)
        self.assertEqual(XSched.HwQueueDestroy(hwq), OK)
        self.assertEqual(XSched.XHintSetScheduler(xsched.XSchedulerType.kSchedulerAppManaged,
                                                  xsched.XPolicyType.kPolicyUnknown), OK)

    def test_commands_are_python_functions(self):
        hwq, xq = self.make()
        seen = []

        def launch(which):
            seen.append(which)
            self.stream.write(42)
        result, command = XSched.HwCommandCreateCallback(launch)
        self.assertEqual(result, OK)
        del launch
        gc.collect()
        self.assertEqual(XSched.XQueueSubmit(xq, command), OK)
        self.assertEqual(XSched.XQueueWait(xq, command), OK)
        self.assertEqual((seen, driver.word), ([hwq], 42))
        self.assertEqual(XSched.XQueueSubmit(xq, command), XResult.kXSchedErrorNotAllowed)
        self.assertEqual(XSched.HwCommandDestroy(command), OK)
        result, command = XSched.HwCommandCreateCallback(lambda _: XResult.kXSchedSuccess)
        self.assertEqual(XSched.HwQueueLaunch(hwq, command), OK)
        self.assertEqual(XSched.HwQueueSynchronize(hwq), OK)
        self.assertEqual(XSched.HwCommandDestroy(command), OK)

    def test_what_a_command_raises_is_reported_and_ends_nothing(self):
        _, xq = self.make()
        raised = []
        before, sys.excepthook = sys.excepthook, lambda kind, *_: raised.append(kind)
        self.addCleanup(setattr, sys, "excepthook", before)
        _, command = XSched.HwCommandCreateCallback(lambda _: 1 / 0)
        self.assertEqual(XSched.XQueueSubmit(xq, command), OK)
        self.assertEqual(XSched.XQueueWait(xq, command), OK)
        self.assertEqual(raised, [ZeroDivisionError])


class Queues(WithStream):
    def test_a_queue_by_stream_and_priority(self):
        queue = xsched.Queue(self.stream, priority=3)
        self.assertTrue(queue.made)
        self.assertEqual(queue.priority, 3)
        self.stream.write(1)
        queue.wait()
        self.assertEqual((driver.word, queue.state), (1, XQueueState.kQueueStateIdle))
        self.assertEqual(queue.commands, 1, "the program's own launches go through it")
        queue.priority = -4
        self.assertEqual(queue.priority, -4)
        with self.assertRaises(xsched.XSchedError) as caught:
            queue.priority = 999
        self.assertEqual(caught.exception.result, XResult.kXSchedErrorInvalidValue)
        self.assertIsInstance(caught.exception, ValueError)
        self.assertEqual(str(caught.exception), "priority = 999 is out of range: give one from -256 to 255")
        with self.assertRaises(TypeError):
            queue.share = 1.5
        queue.share, queue.period_us, queue.threshold = 30, 20000, 8
        self.assertEqual((queue.share, queue.period_us, queue.threshold, queue.limit), (30, 20000, 8, None))
        queue.set_period(0)
        self.assertEqual(queue.period_us, 0, "setters from before there were properties")
        self.assertIn("cuda stream 0x%x" % self.stream.handle, repr(queue))

    def test_the_shims_own_queue_is_taken(self):
        self.stream.write(1)
        first, second = xsched.Queue(self.stream), xsched.Queue(self.stream.handle, priority=8)
        self.assertEqual(first.handle, second.handle)
        self.assertEqual(first.priority, 8)
        first.close()
        self.assertEqual(second.priority, 8, "who did not make it does not remove it")

    def test_a_lazy_queue_is_made_at_its_first_use(self):
        queue = xsched.Queue(self.stream, priority=6, lazy=True)
        self.assertFalse(queue.made)
        self.assertEqual(queue.priority, 6)
        self.assertTrue(queue.made)

    def test_the_default_stream_by_number(self):
        queue = xsched.Queue(None, priority=2)
        self.assertFalse(queue.made)
        self.assertEqual(queue.priority, 2)
        queue.priority = 0

    def test_suspended_within_a_block(self):
        queue = xsched.Queue(self.stream)
        with queue.suspended():
            self.stream.write(5)
            time.sleep(0.02)
            self.assertEqual(driver.word, 0)
            self.assertEqual(queue.state, XQueueState.kQueueStateReady)
        queue.wait()
        self.assertEqual(driver.word, 5)

    def test_what_the_driver_has_cannot_be_dropped(self):
        queue = xsched.Queue(self.stream)
        queue.suspend()
        self.stream.write(7)
        self.assertFalse(queue.resume(drop=True))
        queue.wait()
        self.assertEqual(driver.word, 7)

    def test_a_missing_level_is_an_error(self):
        queue = xsched.Queue(self.stream, level=1, threshold=8, batch_size=4)
        with self.assertRaises(xsched.XSchedError) as caught:
            queue.set_level(3)
        self.assertEqual(caught.exception.result, XResult.kXSchedErrorNotSupported)

    def test_threads_without_a_context(self):
        """Contexts are per thread: making a queue on another one was 'context is destroyed' once."""
        found = []
        thread = threading.Thread(target=lambda: found.append(xsched.Queue(self.stream, priority=1).priority))
        thread.start()
        thread.join()
        self.assertEqual(found, [1])

    def test_a_stream_that_is_gone(self):
        stream = driver.new_stream()
        queue = xsched.Queue(stream, priority=1)
        stream.destroy()
        self.assertTrue(eventually(lambda: XSched.XQueueQuery(queue.handle)[0] == XResult.kXSchedErrorNotFound))
        with self.assertRaises(xsched.XSchedError):
            queue.wait()
        queue.close()
        queue.close()

    def test_a_closed_queue_stays_closed(self):
        stream = driver.new_stream()
        queue = xsched.Queue(stream, priority=1)
        queue.close()
        for use in (lambda: queue.priority, lambda: queue.handle, queue.suspend, queue.wait):
            with self.assertRaisesRegex(xsched.XSchedError, "it is closed: make a new xsched.Queue"):
                use()
        self.assertFalse(queue.made)
        stream.destroy()


class Priorities(WithStream):
    def test_within_the_block_and_no_longer(self):
        queue = xsched.Queue(self.stream, priority=1)
        with xsched.priority(10, self.stream):
            self.assertEqual(queue.priority, 10)
            with xsched.priority(-3, queue):
                self.assertEqual(queue.priority, -3)
            self.assertEqual(queue.priority, 10)
            self.stream.write(9)
        self.assertEqual(queue.priority, 1)
        self.assertEqual(driver.word, 9, "leaving waits, or the rest would run at the old priority")

    def test_as_a_decorator_and_after_an_exception(self):
        queue = xsched.Queue(self.stream, priority=1)

        @xsched.priority(20, self.stream)
        def serve():
            self.assertEqual(queue.priority, 20)
            raise KeyError
        for _ in range(2):
            with self.assertRaises(KeyError):
                serve()
            self.assertEqual(queue.priority, 1)

    def test_threads_that_share_a_stream(self):
        queue = xsched.Queue(self.stream, priority=1)
        inside, leave = threading.Event(), threading.Event()

        def other():
            with xsched.priority(30, self.stream, wait=False):
                inside.set()
                leave.wait(10)
        thread = threading.Thread(target=other)
        with xsched.priority(5, self.stream):
            thread.start()
            inside.wait(10)
            self.assertEqual(queue.priority, 30, "the most urgent counts")
        self.assertEqual(queue.priority, 30)
        leave.set()
        thread.join()
        self.assertEqual(queue.priority, 1)

    def test_without_waiting(self):
        queue = xsched.Queue(self.stream, priority=1)
        with queue.suspended():
            with xsched.priority(4, self.stream, wait=False):
                self.stream.write(11)
            self.assertEqual(driver.word, 0)
        queue.wait()

    def test_the_same_object_may_nest(self):
        queue, block = xsched.Queue(self.stream, priority=1), xsched.priority(6, self.stream)
        with block, block:
            self.assertEqual(queue.priority, 6)
        self.assertEqual(queue.priority, 1)


class Schedulers(WithStream):
    def tearDown(self):
        xsched.set_scheduler("app")

    def test_the_local_scheduler_keeps_hints(self):
        queue = xsched.Queue(self.stream, priority=9)
        xsched.set_scheduler("local", "HPF")
        self.stream.write(3)
        queue.wait()
        xsched.set_scheduler("APP")
        self.assertEqual((queue.priority, driver.word), (9, 3))
        xsched.set_timeslice(5000)

    def test_unknown_ones(self):
        with self.assertRaisesRegex(ValueError, "use global, local or app"):
            xsched.set_scheduler("nobody")
        with self.assertRaisesRegex(ValueError, "HPF"):
            xsched.set_scheduler("local", "first come")

    def test_a_queue_that_must_not_execute(self):
        queue = xsched.Queue(self.stream)
        xsched.set_scheduler("local")
        queue.priority = xsched.PRIORITY_NO_EXECUTE
        time.sleep(0.05)
        self.stream.write(1)
        time.sleep(0.02)
        self.assertEqual(driver.word, 0)
        queue.priority = 0
        queue.wait()
        self.assertEqual(driver.word, 1)


class Pools(unittest.TestCase):
    """The examples of python/README.md: a queue for each worker of a pool, and an event loop that goes on meanwhile."""
    def setUp(self):
        self.own = threading.local()

    def begin(self):
        driver.call("cuCtxSetCurrent", driver.context)
        self.own.stream = driver.new_stream()
        self.own.queue = xsched.Queue(self.own.stream, priority=5)

    def work(self, number):
        self.own.stream.write(number)
        self.own.queue.wait()
        return self.own.queue.priority, threading.get_ident()

    def test_each_worker_of_a_thread_pool_has_a_queue(self):
        with concurrent.futures.ThreadPoolExecutor(3, initializer=self.begin) as pool:
            answers = list(pool.map(self.work, range(60)))
        self.assertEqual({priority for priority, _ in answers}, {5})

    def test_an_event_loop_goes_on_while_a_worker_waits(self):
        gate = threading.Event()

        def wait_for_gate(number):
            gate.wait(10)
            return self.work(number)

        async def serve(pool):
            loop = asyncio.get_running_loop()
            answers = [loop.run_in_executor(pool, wait_for_gate, number) for number in range(4)]
            await asyncio.sleep(0)  # the loop runs, though no worker has answered
            self.assertFalse(any(answer.done() for answer in answers))
            gate.set()
            return await asyncio.wait_for(asyncio.gather(*answers), 10)

        with concurrent.futures.ThreadPoolExecutor(2, initializer=self.begin) as pool:
            answers = asyncio.run(serve(pool))
        self.assertEqual([priority for priority, _ in answers], [5] * 4)


if __name__ == "__main__":
    warnings.simplefilter("error")
    unittest.main()
