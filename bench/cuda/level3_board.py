"""The page that a victim's kernel writes its clock to, as bench/cuda/level3.py reads it."""
import mmap
import os
import struct
import time

BOARD = struct.Struct("<QQII")  # bench/cuda/level3/victim.h


class Board:
    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.truncate(mmap.PAGESIZE)
        os.chmod(path, 0o666)
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), mmap.PAGESIZE)

    def tick(self):
        return BOARD.unpack_from(self.memory)[0]

    def ready(self):
        return BOARD.unpack_from(self.memory)[3] != 0

    def end(self):
        struct.pack_into("<I", self.memory, 16, 1)

    def wait(self, moving, seconds, quiet=0.02):
        """Seconds until the clock moves, or has stood for `quiet`; None: it does not come to that."""
        began = last = time.monotonic()
        seen = self.tick()
        while time.monotonic() - began < seconds:
            now, tick = time.monotonic(), self.tick()
            if moving and tick != seen:
                return now - began
            if tick != seen:
                seen, last = tick, now
            if not moving and now - last >= quiet:
                return last - began
        return None
