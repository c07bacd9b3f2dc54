"""Are the latency targets of AUTO met, and does it say so where one cannot be? A part of `auto`, in 70 seconds."""
from lib.document import Document

from .auto import Auto, here  # noqa: F401

NAME, WEIGHT = "targets", 8


def answer(suite, deadline):
    found = Auto(suite, deadline)
    out = found.out = Document(NAME, "Latency targets under AUTO", "Is a target met in 99 of 100 bursts, or said to be "
                                                                   "one that cannot be met?")
    found.frontier()
    found.draw_frontier()
    suite.session.xcli("policy", "-s", "HPF")
    out.failures, out.raw = found.failures, found.raw
    out.notes = ["one run; each figure of 4.5 s, 1.2 s after the target was said"]
    return out
