#!/usr/bin/env python3
"""Debuggers and profilers of the host, around a program under XSched and XSched around them: same output and exit
status as without us. Tools that are not installed are skipped, and named."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GIVEN = argparse.Namespace()  # the command line
SECONDS = 120  # valgrind takes thirty times as long

# Debuggers and tracers under which the guest program runs: the command before the program's own. OUT stands for an
# output file.
TOOLS = {
    "gdb": ["gdb", "-q", "-batch", "-nx", "-iex", "set debuginfod enabled off", "-ex", "run", "--args"],
    "strace": ["strace", "-f", "-o", "OUT"],
    "valgrind": ["valgrind", "--tool=memcheck", "-q", "--log-file=OUT"],
    "callgrind": ["valgrind", "--tool=callgrind", "-q", "--log-file=OUT", "--callgrind-out-file=/dev/null"],
    "perf": ["perf", "record", "-q", "-e", "cpu-clock", "-o", "OUT", "--"],
    "heaptrack": ["heaptrack", "-o", "OUT"],
}


class Tools(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("XSCHED_", "XLOG_")) and name != "LD_PRELOAD"}
        self.environment |= {"XSCHED_SOCKET": str(self.folder / "x.sock"), "XLOG_LEVEL": "WARN", "LC_ALL": "C",
                             "XSCHED_CUDA_LIB": GIVEN.driver, "DEBUGINFOD_URLS": ""}
        server = subprocess.Popen([str(GIVEN.build / "xserver"), "--no-supervise"], env=self.environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait, SECONDS)
        self.addCleanup(server.terminate)

    def ran(self, command):
        """Exit status, and the program's own last line."""
        command = [str(self.folder / "out") if word == "OUT" else word.replace("=OUT", f"={self.folder / 'out'}")
                   for word in command]
        done = subprocess.run(command, env=self.environment, cwd=self.folder, capture_output=True, text=True,
                              timeout=SECONDS, check=False)
        own = [line for line in done.stdout.splitlines() if line.startswith(("right", "wrong"))]
        return done.returncode, own, done.stdout[-2000:] + done.stderr[-2000:]

    def test_each(self):
        program = [GIVEN.guest, "cuda", GIVEN.driver]
        run = [str(GIVEN.build / "xcli"), "run", "--"]
        missing = []
        for name, tool in TOOLS.items():
            if shutil.which(tool[0]) is None:
                missing.append(name)
                continue
            native = self.ran(tool + program)
            if native[1] != ["right"]:  # such as perf where the kernel forbids it
                missing.append(f"{name} (does not work here)")
                continue
            for way, command in (("XSched around it", run + tool + program), ("around XSched", tool + run + program)):
                with self.subTest(tool=name, way=way):
                    got = self.ran(command)
                    self.assertEqual(got[:2], native[:2], got[2])
        if missing:
            print(f"skipped: {', '.join(missing)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True, help="where xcli and xserver are")
    parser.add_argument("--driver", required=True, help="libfakecuda.so")
    parser.add_argument("--guest", required=True)
    _, rest = parser.parse_known_args(namespace=GIVEN)
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
