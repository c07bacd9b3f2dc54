#!/usr/bin/env python3
"""Ordinary Level Zero programs under `xcli run`, on the stand-in for the loader and the driver. Two programs share its
device, by turns of a command each.

    levelzero_test.py --build DIR
"""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import scheduled_programs  # noqa: E402
from script import run_tests  # noqa: E402


class LevelZero(scheduled_programs.StandInPrograms):
    program = "bin/levelzero_program"
    platform = "levelzero"

    def environment_of(self, inherited):
        others = {name: value for name, value in inherited.items() if not name.startswith("FAKE_ZE_")}
        return others | {"XSCHED_LEVELZERO_LIB": str(self.build / "lib/libfakelevelzero.so"),
                         "FAKE_ZE_SHARED": str(self.folder / "device")}

    def test_an_urgent_program_is_quicker_than_without_xsched(self):
        def p50_ms(scheduled):
            background = self.start("busy", "6", "3000", hints=["-p", "-5"], scheduled=scheduled)
            time.sleep(1)
            urgent = self.start("urgent", "60", "500", "20", hints=["-p", "5"], scheduled=scheduled)
            measured = self.result(urgent)["p50_ms"]
            self.result(background)
            return measured
        native, ours = p50_ms(False), p50_ms(True)
        print(f"p50 of a burst beside a busy program: {native} ms without XSched, {ours} ms with it")
        self.assertLess(ours, native * 0.75)


if __name__ == "__main__":
    run_tests(LevelZero, "build")
