#!/usr/bin/python3
"""The objects that are taken for a stream, without any framework: stand-ins that look like theirs. No XSched library is
needed."""
import contextlib
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import xsched  # noqa: E402
from xsched import _names, _streams  # noqa: E402


def stand_in(module, **attributes):
    """An object whose class lives in `module`."""
    return type("Stream", (), {"__module__": module})(), attributes


def make(module, **attributes):
    it, given = stand_in(module, **attributes)
    vars(it).update(given)
    return it


def fake_torch(hip=None, entered=None):
    torch = types.ModuleType("torch")
    torch.version = types.SimpleNamespace(hip=hip)

    @contextlib.contextmanager
    def device(which):
        entered.append(which)
        yield
    current = make("torch.cuda.streams", cuda_stream=7, device="cuda:1")
    torch.cuda = types.SimpleNamespace(device=device, is_available=lambda: True, current_stream=lambda: current)
    return torch


class DocumentedNames(unittest.TestCase):
    def test_a_queue_is_made_at_once_or_when_asked(self):
        with mock.patch.object(xsched.Queue, "_make", autospec=True) as make_it:
            xsched.XSchedQueue(make("torch.cuda.streams", cuda_stream=7), 3)
            self.assertEqual(make_it.call_count, 1)
            lazy = xsched.LazyXSchedQueue(make("torch.cuda.streams", cuda_stream=8), priority=3)
            self.assertEqual(make_it.call_count, 1)
            lazy.ensure_created()
            self.assertEqual(make_it.call_count, 2)

    def test_registering_a_stream_twice_is_one_queue(self):
        import xsched_hip
        with mock.patch.object(xsched.Queue, "_make", autospec=True):
            first = xsched_hip.XSchedHIP.RegisterStream(64)
            self.assertIs(xsched_hip.XSchedHIP.RegisterStream(64), first)
            self.assertIn("of hip stream 0x40", repr(first))
            xsched_hip.XSchedHIP.UnregisterStream(64)
            xsched_hip.XSchedHIP.UnregisterStream(64)


class Understanding(unittest.TestCase):
    def test_a_torch_stream_and_its_device(self):
        entered = []
        with mock.patch.dict(sys.modules, torch=fake_torch(entered=entered)):
            stream = _streams.understand(make("torch.cuda.streams", cuda_stream=0x10, device="cuda:1"))
            with stream.enter():
                pass
        self.assertEqual((stream.platform, stream.handle, stream.exists), (xsched.cuda, 0x10, True))
        self.assertEqual(entered, ["cuda:1"], "a default stream is its device's")

    def test_a_torch_stream_of_rocm_is_hips(self):
        with mock.patch.dict(sys.modules, torch=fake_torch(hip="6.4", entered=[])):
            stream = make("torch.cuda.streams", cuda_stream=1, device=None)
            self.assertIs(_streams.understand(stream).platform, xsched.hip)
            self.assertIs(_streams.understand(5).platform, xsched.hip)

    def test_a_stream_like_torchs_without_torch_is_of_the_shim_that_is_loaded(self):
        loaded = {xsched.hip.SHIM: "there"}
        with mock.patch.object(_streams._libraries, "loaded", loaded.get):
            self.assertIs(_streams.understand(make("own.streams", cuda_stream=9)).platform, xsched.hip)

    def test_a_cupy_stream(self):
        cupy = types.ModuleType("cupy")
        cupy.cuda = types.SimpleNamespace(runtime=types.SimpleNamespace(is_hip=False), Device=contextlib.nullcontext)
        with mock.patch.dict(sys.modules, cupy=cupy):
            stream = _streams.understand(make("cupy.cuda.stream", ptr=0x20, device_id=0))
        self.assertEqual((stream.platform, stream.handle), (xsched.cuda, 0x20))

    def test_a_numba_stream_also_the_default_one(self):
        handle = types.SimpleNamespace(value=0x30)
        self.assertEqual(_streams.understand(make("numba.cuda.cudadrv.driver", handle=handle)).handle, 0x30)
        self.assertEqual(_streams.understand(make("numba.cuda.cudadrv.driver",
                                                  handle=types.SimpleNamespace(value=None))).handle, 0)

    def test_a_pyopencl_queue_and_the_stream_protocol(self):
        self.assertEqual(_streams.understand(make("pyopencl", int_ptr=0x40))[:2], (xsched.opencl, 0x40))
        self.assertEqual(_streams.understand(make("cuda.core", __cuda_stream__=lambda: (0, 0x50)))[:2],
                         (xsched.cuda, 0x50))

    def test_numbers(self):
        self.assertEqual(_streams.understand(0x60)[:2], (xsched.cuda, 0x60))
        self.assertTrue(_streams.understand(0x60).exists)
        self.assertFalse(_streams.understand(0).exists, "naming the default stream must not start a driver")
        self.assertFalse(_streams.understand(None).exists)
        self.assertEqual(_streams.understand(0x70, "opencl").platform, xsched.opencl)
        self.assertEqual(_streams.understand(0x70, "hip").platform, xsched.hip)

    def test_what_is_no_stream_is_refused(self):
        for thing in ("stream", 1.5, object(), [1]):
            with self.assertRaisesRegex(TypeError, "is no stream"):
                _streams.understand(thing)
        with self.assertRaisesRegex(ValueError, "is none: use cuda"):
            _streams.understand(1, "metal")
        with self.assertRaisesRegex(ValueError, "no default queue"):
            _streams.understand(None, "opencl")

    def test_the_current_streams_are_those_of_frameworks_in_use(self):
        self.assertEqual(_streams.current(), [])
        with self.assertRaisesRegex(ValueError, "name it"):
            with xsched.priority(3):
                pass
        with mock.patch.dict(sys.modules, torch=fake_torch(entered=[])):
            self.assertEqual([stream.cuda_stream for stream in _streams.current()], [7])

    def test_a_priority_out_of_range_is_refused_at_once(self):
        for value in (-256, 256):
            with self.assertRaisesRegex(ValueError, "-255 to 255"):
                xsched.priority(value)

    def test_a_misspelt_attribute_is_an_error_that_names_the_right_one(self):
        for queue in (xsched.Queue(0, priority=3), xsched.LazyXSchedQueue(0)):
            for name, near in (("priorty", "; did you mean 'priority'"), ("shares", "; did you mean 'share'"),
                               ("colour", "$")):
                with self.assertRaisesRegex(AttributeError, f"Queue has no attribute '{name}'{near}"):
                    setattr(queue, name, 3)
            with self.assertRaisesRegex(AttributeError, "Queue.suspend is a method: call it"):
                queue.suspend = True
        with self.assertRaisesRegex(AttributeError, "priority has no attribute 'wait'"):
            xsched.priority(3).wait = False

    def test_a_derived_class_has_attributes_of_its_own(self):
        class Own(xsched.Queue):
            pass

        own = Own(0)
        own.colour = "red"
        self.assertEqual(own.colour, "red")

    def test_every_public_class_refuses_unknown_attributes(self):
        for name in xsched.__all__:
            kind = getattr(xsched, name)
            if not isinstance(kind, type) or issubclass(kind, (BaseException, int)) or name == "XSched":
                continue  # errors carry what others note of them; XSched has functions alone
            known = issubclass(kind, _names.OnlyKnownNames)
            self.assertTrue(known or kind.__dataclass_params__.frozen, name)

    def test_misspelt_words_are_named(self):
        for wrong, right, given in (("globl", "global", ("globl",)), ("GLOBL", "global", ("GLOBL",)),
                                    ("PUPP", "PUP", ("local", "PUPP")), ("hppf", "HPF", ("local", "hppf")),
                                    ("OBSRVE", "OBSERVE", ("local", "OBSRVE"))):
            with self.assertRaisesRegex(ValueError, f"'{wrong}' is none: use .*; did you mean '{right}'"):
                xsched.set_scheduler(*given)

    def test_a_default_streams_queue_is_lazy(self):
        self.assertFalse(xsched.Queue(0, priority=3).made)
        self.assertFalse(xsched.Queue(make("torch.cuda.streams", cuda_stream=9, device=None), lazy=True).made)


if __name__ == "__main__":
    unittest.main()
