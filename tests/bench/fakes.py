"""The common part of the tests of the benchmarks: a program that was measured before, and a folder for one test."""
import tempfile
import unittest
from pathlib import Path


class FakeProgram:
    """Ends with these measurements; None: it fails."""

    def __init__(self, rows):
        self.rows, self.turns = rows, 0

    def wait_ready(self, _):
        pass

    def take_turn(self, _):
        self.turns += 1

    def begin(self):
        pass

    def finish(self, *_):
        if self.rows is None:
            raise OSError("it ended with status 1")
        return self.rows

    def kill(self):
        pass


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
