#!/usr/bin/python3
"""The conditions for "passed": verdicts on figures made up here, kernel lengths that do not hold, disturbed runs."""
import json
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import suite as runner  # noqa: E402
from lib import backend, calibration, disturbance, document, gain, html, matrix, programs, workloads  # noqa: E402
from questions import main_job  # noqa: E402

MS = 1_000_000


SITUATIONS = Path(__file__).resolve().parents[1] / "support" / "situations.json"


def bursts(asked):
    """As tests/support/situations.h makes them, in us."""
    made, count = [], asked["n"]
    for i in range(count):
        part = ((i if asked.get("drifts") else (i * 7919 + 3) % count) + 0.5) / count
        p50, p99 = asked["p50"], asked["p99"]
        made.append(1e3 * (p50 * (1 - asked.get("wide", 0.1) * (0.5 - part) / 0.5) if part <= 0.5 else
                           p50 * (p99 / p50) ** (((part - 0.5) / 0.49) ** 3)))
    return made


class Gains(unittest.TestCase):
    def test_every_staged_situation(self):
        """The same that xcli doctor's verdicts are tested with (tests/cli)."""
        for each in json.loads(SITUATIONS.read_text()):
            load = each.get("load", {})
            why = disturbance.why_disturbed(load.get("others", 0), load.get("stolen", 0), load.get("idle", 1))
            ways = (bursts(each[way]) for way in ("alone", "native", "shared"))
            judged = gain.judge(*ways, each["kept"], doubts=[why])
            with self.subTest(each["name"]):
                self.assertEqual(judged.gain, each["gain"], judged.says)
                for part in each["says"]:
                    self.assertIn(part, judged.says)

    def judged(self, alone, native, xsched, **more):
        return gain.judge(*(bursts({"n": 400, "p50": ms, "p99": 1.2 * ms}) for ms in (alone, native, xsched)), **more)

    def test_a_bound_that_is_not_known_is_told_in_words(self):
        for low, high, text in ((48.8, None, "50 ms (at least 48.8)"), (None, 51, "50 ms (at most 51)"),
                                (48.8, 51, "50 ms (48.8 to 51)"), (None, None, "50 ms (too few for an interval)")):
            self.assertEqual(str(gain.Quantile(50, low, high)), text)

    def test_a_doubt_spoils_a_success_and_excuses_a_failure(self):
        for xsched in (23, 39):
            found = self.judged(20, 34, xsched, doubts=["", "the lengths do not hold"])
            self.assertEqual((found.gain, found.says), (gain.NO_VERDICT, "the lengths do not hold"))
        self.assertEqual(self.judged(20, 34, 23, doubts=["", ""]).gain, gain.GAIN)

    def test_what_is_shorter_for_certain_is_told(self):
        self.assertEqual(self.judged(20, 34, 23).shorter, (50, 99))
        self.assertEqual(self.judged(20, 34, 34).shorter, ())


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
        self.assertIn("other programs used 30 %", self.watched([(0, 0, 0), (800, 0, 1000)], [0, 5]).note)
        self.assertIn("machine took 15 %", self.watched([(0, 0, 0), (500, 150, 1000)], [0, 5]).note)

    def test_others_disturb_only_where_processors_are_scarce(self):
        self.assertEqual(self.watched([(0, 0, 0), (400, 0, 1000)], [0, 0]).note, "")

    def test_a_machine_that_becomes_quiet_is_waited_for(self):
        with mock.patch.object(disturbance, "busy_share", side_effect=[0.9, 0.5, 0.1]):
            self.assertEqual(disturbance.note_before(), "")
        with mock.patch.object(disturbance, "busy_share", return_value=0.52):
            self.assertIn("other programs used 52 %", disturbance.note_before())

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
        """Returns the doubts about a main job. `ratios`: each latency as a multiple of alone, by (peer, pattern)."""
        cells = {("native", pattern, None): 1 for pattern in "AB"} | {(*key, 5): ratio for key, ratio in ratios.items()}
        found = SimpleNamespace(length_doubts=list, cells={
            key: SimpleNamespace(latency_us=bursts({"n": 400, "p50": 10 * ratio, "p99": 12 * ratio}))
            for key, ratio in cells.items()})
        return main_job.doubts(found, SimpleNamespace(on_cpu=on_cpu, baseline="native"), ["A", "B"], [5])

    def test_one_pattern_that_costs_something_natively_is_enough(self):
        cheap = {("native", "A"): 1.15, ("xsched", "A"): 1.1, ("native", "B"): 1.1, ("xsched", "B"): 1.1}
        said = self.doubts(cheap)
        self.assertEqual(len(said), 1)
        self.assertIn("nothing was to be gained: this device runs both programs", said[0])
        self.assertEqual(self.doubts({**cheap, ("native", "B"): 1.6}), [])

    def test_xsched_is_never_faster_than_alone(self):
        ratios = {("native", "A"): 1.6, ("native", "B"): 1.4, ("xsched", "A"): 1.1, ("xsched", "B"): 0.7}
        self.assertIn("B, lp 5 ms: the urgent program was faster under XSched than alone", self.doubts(ratios)[0])
        self.assertEqual(self.doubts(ratios, on_cpu=False), [])
        self.assertEqual(self.doubts({}), [])


class Lengths(unittest.TestCase):
    def test_low_alone_that_does_more_than_its_kernels_length_allows_is_a_doubt(self):
        found = matrix.Matrix(None, None, 1, workloads.CPU, "native")
        found.lp_alone["native", 5] = [351, 355, 360]
        self.assertEqual(found.length_doubts(), ["low alone completed 355 kernels of 5 ms a second"])
        found.lp_alone["native", 5] = [215]
        self.assertEqual(found.length_doubts(), [])
        found.workload = workloads.GPU
        found.lp_alone["native", 5] = [355]
        self.assertEqual(found.length_doubts(), [])


if __name__ == "__main__":
    unittest.main()
