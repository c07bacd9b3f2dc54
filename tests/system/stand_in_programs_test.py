#!/usr/bin/env python3
"""Ordinary programs for CANN's runtime and for Level Zero under `xcli run`, each on the stand-in for its driver. Two
programs share the device.

    stand_in_programs_test.py --build DIR Ascend|LevelZero|LevelZeroGates
"""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from scheduled_programs import StandInPrograms, until  # noqa: E402
from script import run_tests  # noqa: E402


class Ascend(StandInPrograms):
    platform = "ascend"
    fake = "FAKE_CUDA_"

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


class LevelZero(StandInPrograms):
    platform = "levelzero"
    fake = "FAKE_ZE_"

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


class LevelZeroGates(LevelZero):
    """The same at preempt level 2, which is off unless it is asked for."""

    def environment_of(self, inherited):
        return super().environment_of(inherited) | {"XSCHED_DEBUG": "levelzero_unproven_gates=1"}

    def test_the_list_shows_level_2(self):
        program = self.start("busy", "3", "2000")
        self.assertTrue(until(lambda: self.queue_of(program)))
        self.assertEqual(self.queue_of(program)["level"], 2)
        self.result(program)

    def test_a_program_that_ends_while_it_is_suspended_ends(self):
        program = self.start("leave", "3", "2000")
        self.assertTrue(until(lambda: self.queue_of(program)))
        self.ask("suspend", str(program.pid))
        self.result(program)


if __name__ == "__main__":
    run_tests(StandInPrograms, "build")
