"""The forms of streams in Python: which platform a stream belongs to, its handle, and where it lives.

Nothing is imported for it: a framework that the program has not imported has no streams."""
import contextlib
import operator
import sys
import warnings
from types import ModuleType
from typing import Any, Callable, ContextManager, List, NamedTuple, Optional

# The platforms are imported by name, because each framework's streams belong to one vendor. Their list is
# _platforms.PLATFORMS.
from . import _libraries, cuda, hip, opencl
from ._names import meant
from ._platforms import PLATFORMS


class Stream(NamedTuple):
    """A stream of some framework, understood."""
    platform: ModuleType
    handle: int
    enter: Callable[[], ContextManager]  # makes the stream's device the thread's current one: default streams need it
    exists: bool                         # its platform runs in this process already
    owner: Any                           # kept alive with it


def _module(name: str) -> Optional[ModuleType]:
    return sys.modules.get(name)


def _torch_platform() -> ModuleType:
    torch = _module("torch")
    return hip if getattr(getattr(torch, "version", None), "hip", None) else cuda


def _cupy_platform() -> ModuleType:
    return hip if getattr(_module("cupy").cuda.runtime, "is_hip", False) else cuda


def _of_torch(stream: Any) -> Stream:
    device = getattr(stream, "device", None)
    enter = (lambda: _module("torch").cuda.device(device)) if device is not None else contextlib.nullcontext
    platform = _torch_platform() if _module("torch") is not None else default_platform()  # or a program's own class
    return Stream(platform, int(stream.cuda_stream), enter, True, stream)


def _of_cupy(stream: Any) -> Stream:
    number = getattr(stream, "device_id", -1)
    enter = (lambda: _module("cupy").cuda.Device(number)) if number >= 0 else contextlib.nullcontext
    return Stream(_cupy_platform(), int(stream.ptr), enter, True, stream)


def _of_numba(stream: Any) -> Stream:
    handle = stream.handle
    handle = getattr(handle, "value", handle)  # a ctypes pointer, whose NULL is None, or the vendor's own binding
    return Stream(cuda, int(handle or 0), contextlib.nullcontext, True, stream)


def _of_pyopencl(queue: Any) -> Stream:
    return Stream(opencl, int(queue.int_ptr), contextlib.nullcontext, True, queue)


def default_platform() -> ModuleType:
    """Returns the platform of a stream given as a number: the framework's in use, or the loaded shim's."""
    if _module("torch") is not None:
        return _torch_platform()
    if _module("cupy") is not None:
        return _cupy_platform()
    return hip if not _libraries.loaded(cuda.SHIM) and _libraries.loaded(hip.SHIM) else cuda


def understand(stream: Any = None, platform: Optional[str] = None) -> Stream:
    """Takes a torch.cuda.Stream, a cupy, numba or cuda.core stream, a pyopencl.CommandQueue, or a number; None is the
    platform's default stream. TypeError if it is none of these, ValueError for a platform that is none."""
    if platform is not None and platform not in PLATFORMS:
        raise ValueError(f"platform={platform!r} is none: use {', '.join(PLATFORMS)}{meant(platform, PLATFORMS)}")
    family = type(stream).__module__.split(".")[0]
    if hasattr(stream, "cuda_stream"):  # torch's
        return _of_torch(stream)
    if family == "cupy" and hasattr(stream, "ptr"):
        return _of_cupy(stream)
    if family == "numba" and hasattr(stream, "handle"):
        return _of_numba(stream)
    if hasattr(stream, "int_ptr"):  # pyopencl's
        return _of_pyopencl(stream)
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        _, handle = protocol() if callable(protocol) else protocol
        return Stream(cuda, int(handle), contextlib.nullcontext, True, stream)
    return _of_number(stream, platform)


def _of_number(stream: Any, platform: Optional[str]) -> Stream:
    try:
        handle = 0 if stream is None else operator.index(stream)
    except TypeError:
        if not hasattr(stream, "__int__") or isinstance(stream, (float, str)):
            raise TypeError(f"{stream!r} is no stream: give a torch.cuda.Stream, a cupy or numba stream, a "
                            "pyopencl.CommandQueue, or a stream's handle as a number") from None
        handle = int(stream)  # the vendor's own Python binding
    chosen = PLATFORMS[platform] if platform else default_platform()
    if chosen is opencl and handle == 0:
        raise ValueError("OpenCL has no default queue: give a pyopencl.CommandQueue or its int_ptr")
    # A default stream (0, 1: legacy, 2: per thread) can be named before anything runs; the program has made any other.
    return Stream(chosen, handle, contextlib.nullcontext, handle > 2, stream)


def current() -> List[Any]:
    """The streams that this thread works on now, of every framework in use that has such a thing."""
    found = []
    torch = _module("torch")
    if torch is not None and getattr(torch, "cuda", None) is not None and torch.cuda.is_available():
        found.append(torch.cuda.current_stream())
    if _module("cupy") is not None:
        found.append(_module("cupy").cuda.get_current_stream())
    if _module("numba.cuda") is not None:
        found.append(_module("numba.cuda").default_stream())
    return found


def warn_unless_scheduled(platform: ModuleType) -> None:
    """Work that the program itself gives to a stream is scheduled only where the shim sees it."""
    if _libraries.loaded(platform.SHIM) is None:
        warnings.warn(f"{platform.SHIM} is not loaded in this process: what it launches by itself is not scheduled; "
                      "start it with 'python -m xsched run' or 'xcli run'", RuntimeWarning, stacklevel=5)
