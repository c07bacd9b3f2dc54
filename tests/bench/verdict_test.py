#!/usr/bin/python3
"""What may be called passed: verdicts on figures made up here, kernel lengths that do not hold, disturbed runs."""
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import suite as runner  # noqa: E402
from lib import backend, calibration, disturbance, document, html, matrix, programs, verdict, workloads  # noqa: E402
from questions import main_job  # noqa: E402

MS = 1_000_000


def summary(p50, p90=None):
    return {"p50": p50, "p90": p90 or p50 * 1.1}


def judged(alone, native, xsched, kept=0.95, doubts=()):
    return verdict.judge(summary(alone), summary(native), summary(xsched), kept, doubts)


class Verdicts(unittest.TestCase):
    def test_xsched_takes_away_what_sharing_costs(self):
        found = judged(20, 34, 23)
        self.assertEqual(found.status, verdict.PASSED)
        for number in ("1.70 times", "1.15 times", "95%"):
            self.assertIn(number, found.says)

    def test_xsched_takes_away_too_little(self):
        self.assertEqual(judged(20, 34, 28).status, verdict.FAILED)
        self.assertEqual(judged(20, 34, 23, kept=0.3).status, verdict.FAILED)
        tail = verdict.judge(summary(20), summary(34, 36), summary(23, 35), 0.9)
        self.assertEqual(tail.status, verdict.FAILED)

    def test_faster_than_alone_proves_nothing(self):
        found = judged(20, 30, 17)
        self.assertEqual(found.status, verdict.NONE)
        self.assertIn("0.85 times as long as alone", found.says)
        self.assertEqual(judged(20, 30, 18.5).status, verdict.PASSED)  # within what a machine varies by

    def test_where_native_sharing_is_cheap_nothing_is_gained(self):
        for xsched in (13, 20.5, 24):  # as the figures of a machine that sleeps, good, and bad
            found = judged(20, 20.4, xsched)
            self.assertEqual(found.status, verdict.NONE)
            self.assertIn("nothing was to be gained", found.says)

    def test_a_doubt_spoils_a_success_and_excuses_a_failure(self):
        for xsched in (23, 33):
            found = judged(20, 34, xsched, doubts=["", "the lengths do not hold"])
            self.assertEqual((found.status, found.says), (verdict.NONE, "No verdict: the lengths do not hold."))
        self.assertEqual(judged(20, 34, 23, doubts=["", ""]).status, verdict.PASSED)

    def test_a_program_alone_must_take_as_long_in_every_round(self):
        self.assertEqual(verdict.unsteady([20, 21, 22], [190, 200]), "")
        self.assertIn("1.5 times", verdict.unsteady([20, 30, 22], [190, 200]))
        self.assertIn("2.0 times", verdict.unsteady([20, 21, 22], [100, 200]))
        self.assertEqual(verdict.unsteady([], [0, 0]), "")


class KernelLengths(unittest.TestCase):
    def calibrated(self, *lasting):
        """With a device on which the calibrations give kernels that last so long."""
        steps, lengths = iter(range(1, 99)), dict(enumerate(lasting, 1))
        return calibration.checked(5, lambda: next(steps), lengths.get)

    def test_the_first_that_holds_is_taken(self):
        self.assertEqual(self.calibrated(5.6), (1, ""))
        self.assertEqual(self.calibrated(2.8, 4.2), (2, ""))

    def test_one_that_never_holds_is_said(self):
        steps, complaint = self.calibrated(2.82, None, 6.4)
        self.assertEqual(steps, 3)
        self.assertIn("kernels of 5 ms lasted 2.82 ms, none, 6.40 ms", complaint)

    def test_how_long_they_last_is_told_by_their_ends(self):
        self.assertAlmostEqual(calibration.lasts_ms([0, 90 * MS, 100 * MS, 105 * MS, 110 * MS]), 5)  # the start is none
        self.assertIsNone(calibration.lasts_ms([1, 2, 3]))

    def session(self, lasts, checks=True):
        session = programs.Session.__new__(programs.Session)
        session.check_lengths, session.lengths, session.doubts = checks, {}, []
        session.calibrate_once = mock.Mock(return_value=7)
        session.kernel_lasts_ms = mock.Mock(return_value=lasts)
        return session

    def test_a_session_calibrates_each_length_once_and_keeps_its_doubts(self):
        session = self.session(lasts=2.8)
        self.assertEqual([session.calibrate(5), session.calibrate(5)], [7, 7])
        self.assertEqual(session.calibrate_once.call_count, calibration.TRIES)
        self.assertEqual(len(session.doubts), 1)
        self.assertEqual(self.session(lasts=5.1).calibrate(5), 7)

    def test_a_program_that_fails_or_hangs_is_told(self):
        session = self.session(lasts=5)
        session.environment, session.programs = {}, Path("/bin")
        with self.assertRaisesRegex(programs.ProgramFailed, "/bin/ls /nowhere ended with status 2: .*nowhere"):
            session.output_of("ls", "/nowhere")
        with mock.patch.object(programs, "START_SECONDS", 0.05), self.assertRaises(programs.ProgramFailed):
            session.output_of("sleep", 20)

    def test_only_a_cpu_devices_lengths_are_checked(self):
        session = self.session(lasts=2.8, checks=False)
        self.assertEqual((session.calibrate(5), session.kernel_lasts_ms.call_count, session.doubts), (7, 0, []))


class Disturbance(unittest.TestCase):
    def watched(self, ticks, own):
        with mock.patch.object(disturbance, "_ticks", side_effect=ticks), \
                mock.patch.object(disturbance, "_own_seconds", side_effect=own), \
                mock.patch.object(disturbance.os, "sysconf", return_value=100):
            return disturbance.Watch().stop()

    def test_others_are_all_but_our_own(self):
        quiet = self.watched([(100, 10, 1000), (900, 20, 2000)], [1.0, 8.5])
        self.assertAlmostEqual(quiet.stolen, 0.01)
        self.assertAlmostEqual(quiet.others, 0.05)
        self.assertEqual(quiet.note, "")

    def test_a_busy_machine_and_a_busy_host_are_noted(self):
        self.assertIn("other programs 30.0%", self.watched([(0, 0, 0), (800, 0, 1000)], [0, 5]).note)
        self.assertIn("the host took 15.0%", self.watched([(0, 0, 0), (500, 150, 1000)], [0, 5]).note)

    def test_a_machine_that_becomes_quiet_is_waited_for(self):
        with mock.patch.object(disturbance, "busy_share", side_effect=[0.9, 0.5, 0.1]):
            self.assertEqual(disturbance.note_before(), "")
        with mock.patch.object(disturbance, "busy_share", return_value=0.52):
            self.assertIn("other programs used 52%", disturbance.note_before())

    def test_what_this_process_used_is_its_own(self):
        before = disturbance._own_seconds(())
        while disturbance._own_seconds(()) < before + 0.05:
            pass
        self.assertGreater(disturbance.used_seconds(["self"]), 0)
        self.assertEqual(disturbance.used_seconds([-1]), 0)


def written(folder, doubts=(), failures=(), value=0.5):
    out = document.Document("main_job", "The main job", "Why?")
    out.add_table("c", [["", "p50"], ["native", "3 us"]])
    out.targets, out.doubts, out.failures = [("a", value, "<=", 1, "x")], list(doubts), list(failures)
    out.write(folder, backend.Backend("x", "X", Path(), "device", "vendor", "driver"))
    return out


class DisturbedDocuments(unittest.TestCase):
    def page(self, **more):
        with tempfile.TemporaryDirectory() as folder:
            out = written(folder, **more)
            return out, html.write(folder).read_text()

    def test_a_disturbed_run_is_grey_whatever_it_met(self):
        for value in (0.5, 2):
            out, page = self.page(doubts=["others used <half>"], value=value)
            self.assertEqual(out.status, "disturbed")
            self.assertIn('<span class="status disturbed">disturbed</span>', page)
            self.assertIn("others used &lt;half&gt;", page)
            self.assertIn("disturbed: others used <half>", out.text())
            self.assertNotIn('<span class="status passed">', page)
            self.assertNotIn("targets missed", page)
        self.assertIn(".status.disturbed {", html.STYLE.read_text())

    def test_what_failed_failed_all_the_same(self):
        self.assertEqual(self.page(doubts=["busy"], failures=["it broke"])[0].status, "failed")

    def test_an_undisturbed_run_is_judged_by_its_targets(self):
        self.assertIn('<span class="status passed">passed</span>', self.page()[1])
        self.assertIn("targets missed", self.page(value=2)[1])


class MissedTargets(unittest.TestCase):
    def test_each_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            documents = [written(folder, value=2), written(folder), written(folder, value=None, doubts=["busy"])]
        self.assertEqual(runner.missed(documents).splitlines(),
                         ["target missed: The main job: a: 2.00x, asked <= 1x",
                          "target missed: The main job: a: not measured, asked <= 1x (disturbed: no verdict)"])

    def ended(self, documents, failed=()):
        options = SimpleNamespace(report=None, list=False, results=None)
        with mock.patch.object(runner, "parse_options", return_value=options), \
                mock.patch.object(runner, "run", return_value=(documents, list(failed))), \
                mock.patch.object(runner.html, "write", return_value="page"), mock.patch("builtins.print"):
            return runner.main()

    def test_the_suite_ends_well_if_it_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            missed, broken = written(folder, value=2), written(folder, failures=["it broke"])
        self.assertEqual(self.ended([missed]), 0)
        self.assertEqual(self.ended([missed, broken]), 1)
        self.assertEqual(self.ended([missed], ["overhead: FAILED: no"]), 1)
        self.assertEqual(self.ended([]), 2)


class Order(unittest.TestCase):
    def test_native_and_xsched_are_measured_before_other_peers(self):
        peers = [SimpleNamespace(name=name, streams=False) for name in ("native", "mps", "xsched_l1", "xsched")]
        order = []
        found = SimpleNamespace(run=lambda peer, pattern, length, _: order.append((peer.name, pattern, length)),
                                run_lp_alone=lambda *_: None)
        suite = SimpleNamespace(baseline="native", peer=lambda _: peers[0],
                                most_compared=lambda some: [peer for peer in some if peer.name in ("native", "xsched")])
        for group in main_job.groups(found, suite, ["A", "B"], [5], peers):
            for piece in group:
                piece(0)
        self.assertEqual([name for name, _, _ in order[:6]], ["native", "native", "xsched"] * 2)
        self.assertEqual([name for name, _, _ in order[6:]], ["mps", "xsched_l1"] * 2)
        self.assertEqual(len(set(order)), 10)


class MainJob(unittest.TestCase):
    def doubts(self, ratios, on_cpu=True):
        """`ratios`: of alone, by (peer, pattern)."""
        found = SimpleNamespace(length_doubts=list, ratio=lambda peer, pattern, *_: ratios.get((peer, pattern)))
        return main_job.doubts(found, SimpleNamespace(on_cpu=on_cpu, baseline="native"), ["A", "B"], [5])

    def test_one_pattern_that_costs_something_natively_is_enough(self):
        self.assertEqual(self.doubts({("native", "A"): 1.6, ("native", "B"): 1.1, ("xsched", "A"): 1.1}), [])
        cheap = self.doubts({("native", "A"): 1.15, ("native", "B"): 1.1, ("xsched", "A"): 1.1})
        self.assertEqual(len(cheap), 1)
        self.assertIn("1.15 times as long as alone, so that nothing was to be gained", cheap[0])

    def test_xsched_is_never_faster_than_alone(self):
        ratios = {("native", "A"): 1.6, ("native", "B"): 1.4, ("xsched", "A"): 1.1, ("xsched", "B"): 0.7}
        self.assertIn("B, lp 5 ms: under XSched the program took 0.70 times", self.doubts(ratios)[0])
        self.assertEqual(self.doubts(ratios, on_cpu=False), [])
        self.assertEqual(self.doubts({}), [])


class Demo(unittest.TestCase):
    def test_its_doubts_are_the_sessions_the_machines_and_its_own(self):
        import demo
        found = matrix.Matrix(None, None, 1, workloads.CPU, "native")
        for latency in (20, 32):
            found.cells["native", "A", None].add([(0, latency * MS)], [])
        found.lp_alone["native", 5] = [351, 355, 360]
        doubts = demo.doubts(found, "A", SimpleNamespace(doubts=["lengths"]), ["busy", ""])
        self.assertEqual([doubt for doubt in doubts if doubt][:3],
                         ["lengths", "busy", "low alone completed 355 kernels of 5 ms a second"])
        found.lp_alone["native", 5] = [215]
        self.assertEqual(found.length_doubts(), [])
        found.workload = workloads.GPU
        found.lp_alone["native", 5] = [355]
        self.assertEqual(found.length_doubts(), [])
        self.assertIn("1.6 times", doubts[-1])


if __name__ == "__main__":
    unittest.main()
