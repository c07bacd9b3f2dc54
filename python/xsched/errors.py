"""The error that the pleasant form raises; class XSched returns results, as the C functions do."""
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


class XSchedError(RuntimeError):
    """A call of the C interface that did not succeed. `result` is its XResult."""

    def __init__(self, call: str, result: XResult, sentence: Optional[str] = None) -> None:
        super().__init__(f"{call} returned {result.name}: {sentence or _SENTENCES.get(result, 'no error')}")
        self.result = result


def check(call: str, result: XResult) -> None:
    """Raises XSchedError unless `result` is success."""
    if result != XResult.kXSchedSuccess:
        raise XSchedError(call, result)
