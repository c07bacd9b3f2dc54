"""A server with programs whose numbers xcli metrics exports, for tests that read them."""
import argparse
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from script import awaited

ROOT = Path(__file__).resolve().parents[3]
PROMETHEUS = ROOT / "packaging/prometheus"
READY_S = 30  # safety
WORKS_S = 120
GIVEN = argparse.Namespace()


class Exported(unittest.TestCase):
    """The programs work on one device, which a fake CUDA driver has."""
    PROGRAMS = ((),)  # what xcli run is told of each

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="xsched-exported-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        device = cls.folder / "device"
        device.mkdir()
        cls.environment = {**os.environ, "XSCHED_SOCKET": f"{folder.name}/socket", "XLOG_LEVEL": "ERRO",
                           "XSCHED_CUDA_LIB": str(GIVEN.driver), "FAKE_CUDA_SHARED": str(device)}
        cls.start([GIVEN.bin / "xserver"])
        cls.wait_for(lambda: cls.xcli("policy"))
        for words in cls.PROGRAMS:
            cls.start([GIVEN.bin / "xcli", "run", *words, "--", GIVEN.guest, "cuda", "none", str(WORKS_S)])
        cls.wait_for(lambda: cls.xcli("metrics").count('xsched_program_device_ratio{') >= len(cls.PROGRAMS))

    @classmethod
    def start(cls, words, **more):
        child = subprocess.Popen(words, env=cls.environment, text=True, **{"stdout": subprocess.PIPE, **more})
        if child.stdout:
            cls.addClassCleanup(child.stdout.close)
        cls.addClassCleanup(child.wait)
        cls.addClassCleanup(child.terminate)
        return child

    @classmethod
    def xcli(cls, *words):
        return subprocess.run([GIVEN.bin / "xcli", *words], env=cls.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    @staticmethod
    def wait_for(condition):
        return awaited(condition, READY_S)

    @classmethod
    def serve(cls):
        """Starts an exporter; returns its place and the file with its token."""
        token = cls.folder / "token"
        served = cls.start([GIVEN.bin / "xcli", "metrics", "--listen", "127.0.0.1:0", "--token-file", token])
        return served.stdout.readline().split()[-1], token
