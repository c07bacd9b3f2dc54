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


class Ascend(scheduled_programs.ScheduledPrograms):
    program = "bin/ascend_program"
    exact = ("exact", "60000")
    busy = ("busy", "4", "2000")

    def environment_of(self, inherited):
        others = {name: value for name, value in inherited.items() if not name.startswith("FAKE_")}
        return others | {"XSCHED_ASCEND_LIB": str(self.build / "lib/libfakeascend.so"),
                         "FAKE_CUDA_SHARED": str(self.folder / "device")}

    def test_a_program_has_a_queue_of_the_device_and_counts_its_commands(self):
        program = self.start("busy", "3", "2000")
        self.assertTrue(until(lambda: self.completed(program) > 3), "no command is ever complete")
        self.assertEqual(self.queue_of(program)["platform"], "ascend")
        self.result(program)

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

    def test_an_urgent_program_holds_the_other_one(self):
        self.an_urgent_program_holds(("busy", "6", "2000"), ("busy", "2", "2000"))

    def test_a_program_whose_server_cannot_be_reached_runs_by_itself(self):
        nowhere = {"XSCHED_SOCKET": "/nowhere/xsched.sock", "XLOG_LEVEL": "ERRO",
                   "LD_PRELOAD": str(self.build / "lib/libshimascend.so")}
        began = time.monotonic()
        self.result(self.start("exact", "2000", more=nowhere, scheduled=False))
        self.assertLess(time.monotonic() - began, 20)


if __name__ == "__main__":
    run_tests(Ascend, "build")
