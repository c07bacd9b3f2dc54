#!/usr/bin/env python3
"""Ordinary programs for CANN's runtime under `xcli run`, on its stand-in. Two programs share its device.

    ascend_test.py --build DIR
"""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import scheduled_programs  # noqa: E402
from scheduled_programs import until  # noqa: E402
from script import run_tests  # noqa: E402


class Ascend(scheduled_programs.StandInPrograms):
    program = "bin/ascend_program"
    platform = "ascend"

    def environment_of(self, inherited):
        others = {name: value for name, value in inherited.items() if not name.startswith("FAKE_")}
        return others | {"XSCHED_ASCEND_LIB": str(self.build / "lib/libfakeascend.so"),
                         "FAKE_CUDA_SHARED": str(self.folder / "device")}

    def test_a_program_whose_server_cannot_be_reached_runs_by_itself(self):
        nowhere = {"XSCHED_SOCKET": "/nowhere/xsched.sock", "XLOG_LEVEL": "ERRO",
                   "LD_PRELOAD": str(self.build / "lib/libshimascend.so")}
        began = time.monotonic()
        self.result(self.start("exact", "2000", more=nowhere, scheduled=False))
        self.assertLess(time.monotonic() - began, 20)

    # As older versions do, and those for some chips may. Without a way to follow commands, each pair would take 50 ms.
    def test_a_runtime_that_lacks_functions_is_scheduled_as_well(self):
        old = self.build / "fake_ascend_old"
        began = time.monotonic()
        program = self.start("exact", "60000", more={
            "LD_LIBRARY_PATH": str(old), "XSCHED_ASCEND_LIB": str(old / "libascendcl.so"),
            "XSCHED_AUTO_XQUEUE_THRESHOLD": "2"})
        self.assertTrue(until(lambda: self.completed(program) > 3), "no command is ever complete")
        self.result(program)
        self.assertLess(time.monotonic() - began, 100)


if __name__ == "__main__":
    run_tests(Ascend, "build")
