"""The main job's two programs on a kind of device: bursts of short kernels in three patterns (hp) beside longer kernels
without end (lp)."""
import math
from dataclasses import dataclass, replace

from . import stand_ins

ENDLESS = math.inf            # a kernel that is still running when the measurement ends
ENDLESS_STEPS = 4_000_000_000


@dataclass(frozen=True)
class Workload:
    hp_kernel_ms: float
    pause_ms: tuple        # between two bursts, drawn from this range
    patterns: dict         # by name: (for people, options of hp)
    lp_ms: float           # the usual length of lp's kernels
    lengths_ms: tuple      # all lengths that are looked at
    preempt_ms: tuple      # T of the preemption latency
    request_kernels: int   # in one request of a program that stands for a model
    request_kernel_ms: float
    depth: int = 16        # how many kernels lp keeps enqueued

    def hp_options(self, pattern):
        return {**self.patterns[pattern][1], "pause-ms": self.pause_ms[0], "pause-max-ms": self.pause_ms[1]}


GPU = Workload(
    hp_kernel_ms=0.007, pause_ms=(12, 18), lp_ms=0.3, lengths_ms=(0.05, 0.3, 1, 3, 10, 30, ENDLESS),
    preempt_ms=(0.1, 0.5, 1, 2), request_kernels=200, request_kernel_ms=0.007,
    patterns={
        "A": ("100 async kernels", {"burst-kernels": 100}),
        "B": ("20 x (5 kernels + sync)", {"burst-kernels": 100, "sync-every": 5}),
        "C": ("100 kernels, 60 us host gaps", {"burst-kernels": 100, "gap-us": 60}),
    })

CPU = Workload(
    hp_kernel_ms=1, pause_ms=(35, 45), lp_ms=5, lengths_ms=(1, 5, 20), preempt_ms=(1, 2, 5), request_kernels=10,
    request_kernel_ms=1,
    patterns={
        "A": ("20 async kernels", {"burst-kernels": 20}),
        "B": ("4 x (5 kernels + sync)", {"burst-kernels": 20, "sync-every": 5}),
        "C": ("20 kernels, 0.3 ms host gaps", {"burst-kernels": 20, "gap-us": 300}),
    })


# A kernel on the fake runtime costs the processors 15 to 100 us beside its own time: locks of files, waking of threads.
# Requests of kernels of 7 us wait for a processor there, and what their order on the device is hardly matters: on two
# processors, P4's p99 went from 15 ms natively to 37 ms. With kernels of 0.1 ms it went from 10.7 to 7.7 ms (p50 8.0 to
# 4.7). Measured on 2026-11-29.
FAKE = replace(GPU, request_kernels=30, request_kernel_ms=0.1)


def of(backend):
    if backend.stand_in == stand_ins.FAKE:
        return FAKE
    return CPU if backend.name == "opencl" else GPU


def length_text(length_ms):
    return "endless" if length_ms == ENDLESS else f"{length_ms:g} ms"


def parse_length(text):
    return ENDLESS if text == "endless" else float(text)
