#!/usr/bin/python3
"""The Python package over real XQueues, with pyopencl on whatever device there is, the shim preloaded."""
import sys
import time
import unittest
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import xsched  # noqa: E402
from xsched import XQueueState, XResult, XSched  # noqa: E402

try:
    import numpy
    import pyopencl
    PLATFORMS = pyopencl.get_platforms()
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
except pyopencl.Error as error:
    print(f"skipped: no OpenCL platform answers ({error})")
    sys.exit(77)


class OpenCL(unittest.TestCase):
    def setUp(self):
        self.context = pyopencl.Context(devices=[PLATFORMS[0].get_devices()[0]])
        self.queue, self.reader = pyopencl.CommandQueue(self.context), pyopencl.CommandQueue(self.context)
        self.buffer = pyopencl.Buffer(self.context, pyopencl.mem_flags.READ_WRITE, 4)
        self.write(0)
        self.queue.finish()

    def write(self, value):
        pyopencl.enqueue_fill_buffer(self.queue, self.buffer, numpy.uint32(value), 0, 4)

    def word(self):
        found = numpy.zeros(1, numpy.uint32)
        pyopencl.enqueue_copy(self.reader, found, self.buffer)
        return int(found[0])

    def test_a_queue_of_pyopencls(self):
        queue = xsched.Queue(self.queue, priority=3)
        self.assertEqual(queue.priority, 3)
        before = queue.commands
        self.write(1)
        queue.wait()
        self.assertEqual((self.word(), queue.commands - before), (1, 1))
        self.assertEqual(queue.state, XQueueState.kQueueStateIdle)

    def test_the_same_by_number(self):
        queue = xsched.Queue(self.queue)
        self.assertEqual(xsched.Queue(self.queue.int_ptr, platform="opencl").handle, queue.handle)

    def test_what_is_no_queue_is_said_with_its_value(self):
        for number in (1234, self.queue.int_ptr + 3):
            with self.assertRaises(xsched.XSchedError) as caught:
                xsched.Queue(number, platform="opencl")
            self.assertEqual(caught.exception.result, XResult.kXSchedErrorInvalidValue)
            self.assertIn(f"{number} (0x{number:x}) is no command queue of opencl", str(caught.exception))

    def test_suspended_work_waits(self):
        queue = xsched.Queue(self.queue)
        with queue.suspended(sync=True):
            self.write(2)
            time.sleep(0.02)
            self.assertEqual(self.word(), 0)
        self.queue.finish()
        self.assertEqual(self.word(), 2)

    def test_dropped_work_never_runs(self):
        queue = xsched.Queue(self.queue)
        queue.suspend()
        self.write(3)
        self.assertTrue(queue.resume(drop=True))
        queue.wait()
        self.assertEqual(self.word(), 0)

    def test_priority_of_a_block(self):
        queue = xsched.Queue(self.queue, priority=1)
        with xsched.priority(7, self.queue):
            self.assertEqual(queue.priority, 7)
            self.write(4)
        self.assertEqual((queue.priority, self.word()), (1, 4))

    def test_commands_are_launched_in_order(self):
        queue, ran = xsched.Queue(self.queue), []
        commands = []
        queue.suspend()
        for value in (1, 2, 3):
            result, command = XSched.HwCommandCreateCallback(lambda _, value=value: ran.append(value))
            self.assertEqual(result, XResult.kXSchedSuccess)
            self.assertEqual(XSched.XQueueSubmit(queue.handle, command), XResult.kXSchedSuccess)
            commands.append(command)
        self.assertEqual(ran, [])
        queue.resume()
        for command in commands:
            self.assertEqual(XSched.XQueueWait(queue.handle, command), XResult.kXSchedSuccess)
            self.assertEqual(XSched.HwCommandDestroy(command), XResult.kXSchedSuccess)
        self.assertEqual(ran, [1, 2, 3])

    def test_commands_whose_handles_are_given_up_run(self):
        queue, ran = xsched.Queue(self.queue), []
        queue.suspend()
        _, command = XSched.HwCommandCreateCallback(lambda _: ran.append(1))
        XSched.XQueueSubmit(queue.handle, command)
        self.assertEqual(XSched.HwCommandDestroy(command), XResult.kXSchedSuccess)
        queue.resume()
        queue.wait()
        self.assertEqual(ran, [1])

    def test_closing_what_was_made_here(self):
        queue = pyopencl.CommandQueue(self.context)
        with xsched.Queue(queue, priority=2) as made:
            handle = made.handle
        self.assertEqual(XSched.XQueueResume(handle, 0), XResult.kXSchedErrorNotFound)
        self.assertEqual(xsched.Queue(queue, priority=5).priority, 5, "it may be made again")


if __name__ == "__main__":
    warnings.simplefilter("error", RuntimeWarning)
    unittest.main()
