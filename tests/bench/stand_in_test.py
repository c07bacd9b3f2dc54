#!/usr/bin/env python3
"""When the test plan of HIP may run without its GPU, what it says then, and how test 5 judges levels."""
import contextlib
import io
import sys
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "acceptance"), str(ROOT / "bench")]
import run  # noqa: E402
from lib import backend as backends  # noqa: E402
from lib import gain, programs, stand_ins, workloads  # noqa: E402
from fakes import InAFolder  # noqa: E402
from context import Outcome, by_gain, refuse_nothing, withdraw  # noqa: E402
from plan import build_install, examples, levels, overhead  # noqa: E402

STAND_IN = object()


class Session:
    environment = {}

    def __init__(self, build):
        self.build = Path(build)


class WithSession(InAFolder):
    def setUp(self):
        super().setUp()
        self.session = Session(self.folder)

    def program(self, text):
        """hp, which every answer asks."""
        path = self.folder / "bench" / "hip" / "hp"
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def chosen(self, **how):
        said = io.StringIO()
        with mock.patch.object(stand_ins, "choose", return_value=STAND_IN), contextlib.redirect_stdout(said):
            return run.choose_backend(self.session, "hip", **{"stand_in": False, **how}), said.getvalue()


class RequestsOnTheFake(unittest.TestCase):
    def test_wait_for_the_device_and_not_for_a_processor(self):
        fake = backends.Backend("hip", "HIP", Path("/somewhere"), stand_in=stand_ins.FAKE)
        gpu = backends.Backend("hip", "HIP", Path("/somewhere"))
        self.assertGreaterEqual(workloads.of(fake).request_kernel_ms, 0.1)
        self.assertIs(workloads.of(gpu), workloads.GPU)


class Hardware(WithSession):
    def test_of_a_machine_without_a_gpu(self):
        node = self.folder / "sys/class/kfd/kfd/topology/nodes/0"
        node.mkdir(parents=True)
        (node / "gpu_id").write_text("0\n")  # a processor
        self.assertIsNone(stand_ins.amd_hardware(self.folder))

    def test_nodes_and_the_device_file(self):
        node = self.folder / "sys/class/kfd/kfd/topology/nodes/1"
        node.mkdir(parents=True)
        (node / "gpu_id").write_text("4711\n")
        self.assertEqual(stand_ins.amd_hardware(self.folder), "/sys/class/kfd/kfd/topology/nodes/1/gpu_id")
        (self.folder / "dev").mkdir()
        (self.folder / "dev" / "kfd").touch()
        self.assertEqual(stand_ins.amd_hardware(self.folder), "/dev/kfd")


class Choice(WithSession):
    def test_a_gpu_that_does_not_answer_is_not_replaced(self):
        self.program('echo "hp: hipInit: no permission on /dev/kfd" >&2; exit 1')
        with self.assertRaisesRegex(LookupError, "/dev/kfd says.*no permission on /dev/kfd.*--stand-in"):
            self.chosen(hardware="/dev/kfd")

    def test_unless_a_stand_in_is_asked_for(self):
        self.program("exit 1")
        self.assertIs(self.chosen(hardware="/dev/kfd", stand_in=True)[0], STAND_IN)

    def test_without_a_gpu_the_reason_is_said(self):
        self.program('echo "hp: there is no HIP runtime" >&2; exit 1')
        backend, said = self.chosen()
        self.assertIs(backend, STAND_IN)
        self.assertIn("there is no HIP runtime", said)

    def test_a_gpu_that_answers(self):
        self.program('echo "1000 MI308X; AMD; HIP 7.2.0"')
        backend, _ = self.chosen(hardware="/dev/kfd")
        self.assertEqual((backend.device, backend.stand_in), ("MI308X", ""))

    def test_programs_that_are_not_built_or_say_nothing(self):
        with self.assertRaisesRegex(LookupError, "hp is not built"):
            backends.choose(self.folder, {}, ["hip"])
        self.program("exit 3")
        with self.assertRaisesRegex(LookupError, "ended with status 3"):
            backends.choose(self.folder, {}, ["hip"])


class Levels(unittest.TestCase):
    def test_each_by_itself(self):
        found = {"native": {"ratio": 9}, "xsched_l1": {"ratio": 1.1}, "xsched_l2": {"ratio": 35},
                 "xsched_l3": {"ratio": 1.2}}
        judged = levels.judged(found, {})
        self.assertEqual([judged[name]["status"] for name in ("xsched_l1", "xsched_l2", "xsched_l3")],
                         ["passed", "passed", "failed"])

    def test_a_level_that_is_not_there(self):
        judged = levels.judged({"xsched_l1": {"ratio": 1}}, {"xsched_l3": "the driver refuses"})
        self.assertEqual(judged["xsched_l3"], {"status": "absent", "because": "the driver refuses"})


class BuildInstall(WithSession):
    """1.1: how long a build takes says nothing on a machine that has other work; whether it builds does."""

    def found(self, seconds, libraries=3):
        context = mock.Mock()
        context.backend.name, context.session.folder = "hip", self.folder
        installed = self.folder / "installation" / "installed" / "lib"
        installed.mkdir(parents=True, exist_ok=True)
        for name in ("libpreempt.so", "libhalhip.so", "libshimhip.so")[:libraries]:
            (installed / name).write_text("")
        with mock.patch.object(build_install, "can_build", return_value=True), \
                mock.patch.object(build_install, "build", return_value=seconds):
            return build_install.run(context)

    def test_a_slow_build(self):
        self.assertEqual(self.found(705).status, "failed")
        self.assertEqual(withdraw(self.found(705), ["other programs used 100% of the CPUs"]).status, "skipped")

    def test_a_build_that_lacks_a_library(self):
        self.assertEqual(withdraw(self.found(705, libraries=2), ["busy"]).status, "failed")

    def test_a_quick_build_is_one_on_a_busy_machine_too(self):
        self.assertEqual(withdraw(self.found(100), ["busy"]).status, "passed")


class Overhead(unittest.TestCase):
    """3.1: each program has a time limit. A machine on which native programs need longer gives no verdict."""

    def found(self, native, xsched):
        """Returns the outcome of programs with these (iterations, us for each)."""
        given = {"n": native, "x": xsched}
        context = mock.Mock(native=lambda _: "n", xsched=lambda _: "x")
        context.requests.alone.side_effect = lambda model, prefix, *_, **__: [(0, given[prefix][1] * 1000)] * \
            given[prefix][0]
        return withdraw(overhead.run(context), [])

    def test_what_is_added_is_judged(self):
        self.assertEqual(self.found((100, 1000), (100, 1050)).status, "passed")
        self.assertEqual(self.found((100, 1000), (100, 1200)).status, "failed")
        self.assertEqual(self.found((100, 1000), (40, 5000)).status, "failed")

    def test_a_machine_on_which_native_programs_are_too_slow(self):
        outcome = self.found((60, 1000), (60, 1050))
        self.assertEqual(outcome.status, "skipped")
        self.assertIn("a native program did 60 of 100 iterations in 20 s", outcome.notes[0])


class ShortProgram(WithSession):
    def test_a_program_that_ends_at_once_was_ready(self):
        program = programs.Program(["sh", "-c", "echo ready"], {}, self.folder / "rows", self.folder / "log")
        program.process.wait(timeout=60)
        program.wait_ready(mock.Mock())
        program.process.stdin.close()
        program.process.stdout.close()

    def test_a_program_that_ends_without_a_word(self):
        program = programs.Program(["true"], {}, self.folder / "rows", self.folder / "log")
        with self.assertRaisesRegex(programs.ProgramFailed, "ended with status 0"):
            program.wait_ready(mock.Mock())
        program.process.stdin.close()
        program.process.stdout.close()


class NothingRun(unittest.TestCase):
    def test_what_ran_nothing_has_not_passed(self):
        for outcome in (Outcome("passed", {"a": 1}, ran=0), Outcome("passed", {}), Outcome("failed", {}, timing=True),
                        Outcome("failed", {"a": 1}, ran=0, timing=True), Outcome("skipped", {})):
            refused = refuse_nothing(outcome)
            self.assertEqual((refused.status, refused.broke), ("failed", True))
            self.assertIn("nothing was run", refused.notes[0])
            self.assertEqual(withdraw(refused, ["other programs used 100% of the CPUs"]).status, "failed")
        self.assertEqual(refuse_nothing(Outcome("passed", {"a": 1})).status, "passed")
        for outcome in (Outcome("skipped", {}, ["level 1 is not here"]), Outcome("failed", {"a": 1}, timing=True)):
            self.assertEqual(refuse_nothing(outcome).broke, False)

    def examples(self, statuses, tests, xsched_us=1000, log="scheduler, preempt level"):
        """1.2 with these exit statuses of hp and lp, and these tests of examples."""
        context = mock.Mock(seconds=1)
        context.session.start.side_effect = lambda name, options, prefix: mock.Mock(
            finish=lambda *_: [(0, (xsched_us if prefix == "x" else 1000) * 1000)] * 9)
        context.native, context.xsched = (lambda _: "n"), (lambda _: "x")
        context.workload.hp_options.return_value = {}
        with mock.patch.object(examples, "log_of",
                               side_effect=[(status, log) for status in statuses]), \
                mock.patch.object(examples, "example_tests", return_value=tests):
            return examples.run(context)

    def test_native_programs_count_where_examples_cannot_be_built(self):
        outcome = self.examples([0, 0], ({}, "hipcc is missing"))
        self.assertEqual((outcome.status, outcome.ran), ("passed", 2))
        self.assertIn("2 of 2 programs, 0 of them examples", outcome.says)
        self.assertEqual(outcome.notes[0], "hipcc is missing")
        self.assertEqual(self.examples([0, 1], ({}, "hipcc is missing")).status, "failed")
        self.assertEqual(self.examples([0, 0], ({"one": False}, "")).status, "failed")
        self.assertEqual(self.examples([0, 0], ({}, ""), 1200).status, "failed")

    def test_a_log_without_the_scheduler_is_shown(self):
        outcome = self.examples([0, 0], ({}, "hipcc is missing"), log="no device")
        self.assertEqual(outcome.status, "failed")
        self.assertIn("the log of hp (status 0) does not show the scheduler: no device", outcome.notes[0])

    def test_hip_examples_need_hipcc_and_a_gpu(self):
        with mock.patch.object(examples.shutil, "which", return_value=None):
            self.assertIn("make or hipcc are missing", examples.example_tests(Path("/nowhere"), "hip")[1])
            self.assertIn("this is a stand-in", examples.example_tests(Path("/nowhere"), "hip", "libfakehip.so")[1])


class ByGain(unittest.TestCase):
    def test_only_a_gain_passes_and_only_its_absence_fails(self):
        for found, met, status, doubt in ((gain.GAIN, True, "passed", ""), (gain.GAIN, False, "failed", ""),
                                          (gain.NO_GAIN, True, "failed", "")):
            self.assertEqual(by_gain(gain.Judged(found, "why"), met), (status, doubt))
        for found in (gain.NO_VERDICT, gain.NOTHING_TO_GAIN):
            status, doubt = by_gain(gain.Judged(found, "why"))
            self.assertIn("why", doubt)
            outcome = withdraw(Outcome(status, {"a": 1}, timing=True, doubts=[doubt]), [])
            self.assertEqual(outcome.status, "skipped")

    def test_a_gpu_gets_no_verdict_either(self):
        context = mock.Mock(on_cpu=False, disturbed="")
        context.suite.running_pids.return_value, context.session.doubts = [], []
        for doubt, status in (("nothing to gain: it does not wait", "skipped"), ("", "failed")):
            module = mock.Mock()
            module.run.return_value = Outcome("failed", {"a": 1}, timing=True, doubts=[doubt])
            with mock.patch.object(run.disturbance.Watch, "note", ""):
                self.assertEqual(run.run_test(module, context, float("inf"))[0].status, status)


if __name__ == "__main__":
    unittest.main()
