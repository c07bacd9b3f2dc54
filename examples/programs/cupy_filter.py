#!/usr/bin/env python3
"""Filters a signal in CuPy about every 20 ms, as an instrument or a notebook does: a Fourier transform of 2^20
samples, a filter, the way back and a sum that is read. Ordinary CuPy. Prints how long each takes."""
import random
import time

import common
import cupy

SAMPLES, PERIOD = 1 << 20, (0.015, 0.025)


class Filter:
    def __init__(self):
        self.signal = cupy.random.RandomState(0).standard_normal(SAMPLES).astype(cupy.float32)
        self.weights = cupy.exp(-cupy.linspace(0, 8, SAMPLES // 2 + 1)).astype(cupy.float32)
        for _ in range(5):
            self.once()

    def once(self):
        return float(cupy.abs(cupy.fft.irfft(cupy.fft.rfft(self.signal) * self.weights)).sum())

    def measure(self, seconds):
        times, chance, end = [], random.Random(1), time.monotonic() + seconds
        while (begin := time.monotonic()) < end:
            self.once()
            times.append(time.monotonic() - begin)
            time.sleep(max(begin + chance.uniform(*PERIOD) - time.monotonic(), 0))
        return {"filter_ms": common.in_ms(times)}


if __name__ == "__main__":
    common.run(Filter().measure, __doc__)
