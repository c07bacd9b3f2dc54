"""Properties of a queue that set one hint of the C interface."""
from typing import Any, Optional

from ._bindings import XSched
from .errors import check, within

HOUR_US = 3_600_000_000


class hinted:  # noqa: N801  it is used as `property` is
    """`queue.name = value` tells the scheduler; `queue.name` is what was told through this object, None: nothing. The
    value in force, told by any program: xsched.queues()."""

    def __init__(self, function: str, least: int, most: int, unit: str, doc: str) -> None:
        self._function, self._least, self._most, self._unit = function, least, most, unit
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, queue: Any, owner: Optional[type] = None) -> Any:
        return self if queue is None else vars(queue).get("_told_" + self._name)

    def __set__(self, queue: Any, value: int) -> None:
        value = within(self._name, value, self._least, self._most, " " + self._unit if self._unit else "")
        check(self._function, getattr(XSched, self._function)(queue.handle, value), value)
        vars(queue)["_told_" + self._name] = value
