"""Stands for PyTorch, which cannot be had for ROCm here: as much of it as the documents' dual model asks for, above the
real HIP runtime. A model is a number of kernels on the current stream, which count themselves."""
import contextlib
import ctypes
import sys
import threading
import types
from ctypes import byref, c_size_t, c_uint64, c_void_p

CODE = b"/programs/kernels.co"
KERNEL = b"spin_and_count"
_hip = ctypes.CDLL("libamdhip64.so")
_here = threading.local()
version = types.SimpleNamespace(hip="a stand-in")


def _check(error, call):
    if error != 0:
        raise RuntimeError(f"HIP error {error}: {call}")


def _call(name, *arguments):
    _check(getattr(_hip, name)(*arguments), name)


class Stream:
    __module__ = "torch.cuda.streams"

    def __init__(self, device=None, priority=0):
        self._stream, self.device = c_void_p(), device
        _call("hipStreamCreateWithPriority", byref(self._stream), 1, priority)

    @property
    def cuda_stream(self):
        return self._stream.value

    def synchronize(self):
        _call("hipStreamSynchronize", self._stream)


class Kernels:
    """A call launches `number` kernels of `ns` each, as a model's does. close() compares the count."""

    def __init__(self, number, ns):
        self.number, self.ns, self.launched = number, c_uint64(ns), 0
        module, self.function, self.count = c_void_p(), c_void_p(), c_void_p()
        _call("hipModuleLoad", byref(module), CODE)
        _call("hipModuleGetFunction", byref(self.function), module, KERNEL)
        _call("hipMalloc", byref(self.count), c_size_t(8))
        _call("hipMemset", self.count, 0, c_size_t(8))
        _call("hipDeviceSynchronize")

    def eval(self):
        return self

    cuda = eval

    def __call__(self, _):
        values = (c_void_p * 2)(ctypes.addressof(self.ns), ctypes.addressof(self.count))
        for _ in range(self.number):
            _call("hipModuleLaunchKernel", self.function, 1, 1, 1, 1, 1, 1, 0, _here.stream, values, None)
        self.launched += self.number

    def counted(self):
        """Kernels that have ended by now."""
        found = c_uint64()
        _call("hipMemcpy", byref(found), self.count, c_size_t(8), 2)
        return found.value


@contextlib.contextmanager
def _stream(which):
    _here.stream = which._stream
    yield
    _here.stream = None


def randn(*_shape, device=None):
    return device


no_grad = contextlib.nullcontext
cuda = types.SimpleNamespace(Stream=Stream, stream=_stream, synchronize=lambda: _call("hipDeviceSynchronize"),
                             device=lambda which: contextlib.nullcontext())
sys.modules["torch.cuda"] = cuda
