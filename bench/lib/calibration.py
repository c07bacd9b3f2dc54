"""Kernels of a chosen length on a CPU device: their length is checked by letting a program run them without a pause.
Single kernels that are waited for may each find one processor asleep."""
from . import intervals

TOLERANCE = 0.2
TRIES = 3
CHECK_SECONDS = 0.7
CHECK_KERNELS = 20  # at least
LEFT_OUT = 2        # completions at the start


def lasts_ms(done):
    """How long each kernel took of a program that completed one at each of these times (ns); None: too few."""
    rate = intervals.rate(done[LEFT_OUT:])
    return 1e3 / rate if rate > 0 else None


def is_right(kernel_ms, found_ms):
    return found_ms is not None and abs(found_ms / kernel_ms - 1) <= TOLERANCE


def checked(kernel_ms, calibrate, lasts):
    """(steps, complaint): `calibrate()` gives steps, `lasts(steps)` how long such kernels take (ms). As many times as
    it takes, but TRIES at most; the complaint is a sentence, empty if the length is right."""
    found = []
    for _ in range(TRIES):
        steps = calibrate()
        found.append(lasts(steps))
        if is_right(kernel_ms, found[-1]):
            return steps, ""
    seen = ", ".join("none" if ms is None else f"{ms:.2f} ms" for ms in found)
    return steps, f"kernels of {kernel_ms:g} ms lasted {seen} in {TRIES} calibrations, when nothing else used the " \
                  "device"
