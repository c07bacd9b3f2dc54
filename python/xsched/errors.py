"""The errors that the pleasant form raises; class XSched returns results, as the C functions do."""
from typing import Optional

from .types import XResult

_SENTENCES = {
    XResult.kXSchedErrorHardware: "the vendor's driver refused the call or failed; the log has its own code",
    XResult.kXSchedErrorInvalidValue: "an argument is out of its range, or this is no stream of that platform",
    XResult.kXSchedErrorNotFound: "no object has this handle; it was never made, or its stream is gone",
    XResult.kXSchedErrorNotAllowed: "the object's present state forbids this",
    XResult.kXSchedErrorNotSupported: "this hardware, driver or build cannot do this",
    XResult.kXSchedErrorBadResponse: "xserver answered with something this version does not understand",
    XResult.kXSchedErrorUnknown: "an unexpected failure; run again with XLOG_LEVEL=DEBG",
}


_REFUSALS = {"usage": XResult.kXSchedErrorInvalidValue, "nobody": XResult.kXSchedErrorNotFound}


class XSchedError(RuntimeError):
    """The base of all errors here: a call that did not succeed. `result` is its XResult."""

    def __init__(self, call: str, result: XResult, sentence: Optional[str] = None) -> None:
        super().__init__(f"{call} returned {result.name}: {sentence or _SENTENCES.get(result, 'no error')}")
        self.result = result


class OutOfRangeError(XSchedError, ValueError):
    """A value that the C interface would refuse; the sentence names it and what it may be."""

    def __init__(self, sentence: str) -> None:
        RuntimeError.__init__(self, sentence)
        self.result = XResult.kXSchedErrorInvalidValue


class NoServerError(XSchedError, ConnectionError):
    """No xserver answers, or not as it should; the sentence says where it was looked for."""

    def __init__(self, sentence: str) -> None:
        RuntimeError.__init__(self, sentence)
        self.result = XResult.kXSchedErrorNotFound


class RefusedError(XSchedError):
    """xserver understood and said no. `kind`: "usage", "nobody" (there is no such program or queue) or "refused"."""

    def __init__(self, sentence: str, kind: str) -> None:
        RuntimeError.__init__(self, sentence)
        self.kind = kind
        self.result = _REFUSALS.get(kind, XResult.kXSchedErrorNotAllowed)


class NotFoundError(RefusedError, LookupError):
    """There is no such program or queue; what `xcli` ends with status 4 for. Its `kind` is "nobody"."""


def refusal(sentence: str, kind: str) -> RefusedError:
    """Returns the error for a refusal of this kind."""
    return (NotFoundError if kind == "nobody" else RefusedError)(sentence, kind)


def check(call: str, result: XResult, *given: object) -> None:
    """Raises XSchedError unless `result` is success. `given`: the arguments, for the sentence."""
    if result != XResult.kXSchedSuccess:
        raise XSchedError(f"{call}({', '.join(map(str, given))})" if given else call, result)


def within(name: str, value: int, least: int, most: int, unit: str = "") -> int:
    """`value` as a number. OutOfRangeError if it lies outside; TypeError if it is no whole number."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} = {value!r} is no whole number: give one from {least} to {most}{unit}")
    number = value.__index__()
    if not least <= number <= most:
        raise OutOfRangeError(f"{name} = {number} is out of range: give one from {least} to {most}{unit}")
    return number
