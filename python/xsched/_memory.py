"""Rules for this process's device memory, and doing without it for a while."""
from ._bindings import XSched
from .errors import check, within

MOST_BYTES = 1 << 48


def set_evictable(on: bool = True) -> None:
    """Device memory that this process allocates from now on may be moved to the host while another program needs the
    room (CUDA, docs/memory.md). False: none of it is moved from now on. Memory that is there already stays where it
    is."""
    check("XHintEvictable", XSched.XHintEvictable(int(bool(on))))


def set_memory_limit(limit: int) -> None:
    """Bytes that this process may allocate on each device; 0: no limit."""
    limit = within("limit", limit, 0, MOST_BYTES, " bytes")
    check("XHintMemoryLimit", XSched.XHintMemoryLimit(limit), limit)


def set_memory_guarantee(guarantee: int) -> None:
    """Bytes of this process's memory that stay on each device, whichever program needs the room; 0: none."""
    guarantee = within("guarantee", guarantee, 0, MOST_BYTES, " bytes")
    check("XHintMemoryGuarantee", XSched.XHintMemoryGuarantee(guarantee), guarantee)


def yield_device(*, memory: bool = True) -> None:
    """This process does not use its devices until acquire(). memory: its device memory goes to the host meanwhile, and
    its threads wait where they would use a device; returns when it is there. Without it there is nothing to do: a
    program without work keeps no device. XSchedError (NotSupported) if none of its memory can be moved: start it with
    `xcli run --evictable`."""
    if memory:
        check("XHintYieldMemory", XSched.XHintYieldMemory())


def acquire() -> None:
    """Takes the memory back, and returns when it is there: as soon as there is room for it."""
    check("XHintAcquireMemory", XSched.XHintAcquireMemory())
