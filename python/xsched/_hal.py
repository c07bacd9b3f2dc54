"""The common part of the three platforms: the two functions of a hal.h, which wrap a stream as an HwQueue."""
import ctypes
from typing import Callable, Dict, List, Tuple

from . import _libraries
from ._bindings import declare
from .types import HwQueueHandle, XResult

Wrap = Callable[[int], Tuple[XResult, HwQueueHandle]]


def signatures(prefix: str) -> Dict[str, List]:
    """Returns the argument types of PREFIXQueueCreate and PREFIXQueueGet."""
    return {f"{prefix}Queue{what}": [ctypes.POINTER(ctypes.c_uint64), ctypes.c_void_p] for what in ("Create", "Get")}


def function(library: str, name: str, arguments: List) -> Wrap:
    """The library's function of that name, loaded with its first call."""
    def wrap(stream: int) -> Tuple[XResult, HwQueueHandle]:
        hwq = ctypes.c_uint64()
        found = declare(_libraries.open_library(library), name, arguments)
        return XResult(found(ctypes.byref(hwq), stream)), hwq.value
    wrap.__name__ = wrap.__qualname__ = name
    return wrap


def of_platform(platform: str, prefix: str) -> Tuple[str, Dict[str, List], Wrap, Wrap]:
    """Returns the platform's shim, the signatures, PREFIXQueueCreate and PREFIXQueueGet."""
    found = signatures(prefix)
    create, get = (function(f"libhal{platform}.so", name, arguments) for name, arguments in found.items())
    return f"libshim{platform}.so", found, create, get
