#!/usr/bin/python3
"""The arithmetic of bench/lib on measurements made up here."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import demo  # noqa: E402
from lib import backend, intervals, main_job, patterns, report  # noqa: E402

MS = 1_000_000


class FakeProgram:
    def __init__(self, rows):
        self.rows = rows

    def wait_ready(self, _):
        pass

    def finish(self, *_):
        return self.rows


class FakeSession:
    """hp and lp with these measurements, whatever they are asked."""

    def __init__(self, bursts, done):
        self.rows = {"hp": bursts, "lp": [[when] for when in done]}

    def start(self, name, *_):
        return FakeProgram(self.rows[name])


class Quiet:
    def doing(self, _):
        pass

    def wait(self, _):
        pass


def bursts(latency_ms, count=10, first_start=0):
    return [[i * 60 * MS, int(latency_ms * MS), first_start] for i in range(count)]


def job_with(**scenarios):
    """scenario = (burst latency in ms, lp kernels per second)"""
    job = main_job.MainJob(None, Quiet())
    for name, (latency, rate) in scenarios.items():
        job.session = FakeSession(bursts(latency), [int(i * 1e9 / rate) for i in range(1, int(rate) + 1)])
        job.run(name, 1)
    return job


class Percentiles(unittest.TestCase):
    def test_they_are_measured_values(self):
        values = list(range(100, 0, -1))
        self.assertEqual([report.percentile(values, p) for p in (50, 99, 100)], [50, 99, 100])
        self.assertEqual(report.percentile([7], 99), 7)


class Job(unittest.TestCase):
    def test_share_of_the_time_left(self):
        # Bursts need 20 of 60 ms: two thirds of the device's time are left.
        job = job_with(alone=(20, 200), xsched=(24, 120))
        self.assertAlmostEqual(job.lp_share("xsched"), 0.6, delta=0.01)
        self.assertAlmostEqual(job.lp_share_left("xsched"), 0.9, delta=0.015)

    def test_drain_is_the_last_kernel_inside_a_burst(self):
        job = main_job.MainJob(FakeSession(bursts(20, 2), [3 * MS, 9 * MS, 30 * MS]), Quiet())
        job.run("xsched", 1)
        self.assertEqual(job.results["xsched"].drain_ms, [9.0, 0.0])

    def test_helped_means_clearly_better(self):
        self.assertTrue(demo.helped(job_with(alone=(20, 200), native=(40, 120), xsched=(24, 120))))
        self.assertFalse(demo.helped(job_with(alone=(20, 200), native=(40, 120), xsched=(39, 120))))
        self.assertFalse(demo.helped(job_with(alone=(20, 200), native=(40, 120), xsched=(21, 10))))

    def test_the_table_has_a_line_for_each_scenario(self):
        text = job_with(alone=(20, 200), native=(40, 120)).table(["alone", "native", "xsched"])
        self.assertEqual(len(text.splitlines()), 4)
        self.assertIn("40.0", text)


class Intervals(unittest.TestCase):
    def test_short_gaps_belong_to_a_burst(self):
        self.assertEqual(intervals.busy([(0, 10), (400_000, 10), (2 * MS, 5)]), [(0, 400_010), (2 * MS, 2 * MS + 5)])

    def test_between_are_whole_periods(self):
        self.assertEqual(intervals.between([(0, 2), (10, 13), (20, 21)]), [(2, 10), (13, 20)])

    def test_counting(self):
        self.assertEqual(intervals.count([1, 2, 3, 8, 9, 14], [(2, 8), (9, 14)]), 3)
        self.assertEqual(intervals.rate([0, MS, 2 * MS, 3 * MS]), 1000)


class Cells(unittest.TestCase):
    def test_what_lp_does_outside_the_bursts(self):
        # Bursts of 5 ms, every 20 ms; lp completes a kernel each ms of the pauses, and one inside each burst.
        cell = patterns.Cell()
        cell.add([(i * 20 * MS, 5 * MS) for i in range(3)],
                 sorted([i * MS for i in range(60) if i % 20 > 5] + [i * 20 * MS + MS for i in range(3)]))
        self.assertEqual((cell.lp_outside, cell.lp_kernels), (28, 30))
        self.assertAlmostEqual(cell.lp_rate_outside, 28 / 0.030, delta=1)

    def test_ratios_and_shares_are_of_alone(self):
        matrix = patterns.Matrix(None, Quiet(), 1)
        matrix.cells["alone", "A", None].add([(0, MS), (20 * MS, MS)], [])
        matrix.cells["xsched", "A", 0.3].add([(0, 2 * MS), (20 * MS, 3 * MS)], [i * MS for i in range(40)])
        matrix.lp_alone["alone", 0.3] = [1000]
        self.assertEqual(matrix.ratio("xsched", "A", 0.3, "p50"), 2)
        self.assertEqual(matrix.ratio("xsched", "A", 0.3, "p99"), 3)
        self.assertAlmostEqual(matrix.lp_share("xsched", "A", 0.3), 1, delta=0.06)
        self.assertIsNone(matrix.ratio("native", "A", 0.3, "p50"))

    def test_overhead_is_of_the_rounds_medians(self):
        matrix = patterns.Matrix(None, Quiet(), 1)
        for latency in (100, 100, 900):
            matrix.cells["alone", "A", None].add([(0, latency)], [])
        for latency in (102, 800, 102):
            matrix.cells["alone_xsched", "A", None].add([(0, latency)], [])
        self.assertAlmostEqual(matrix.overhead("A"), 0.02)


    def test_failures_are_kept_and_a_scenario_that_fails_is_left_out(self):
        class Broken(FakeSession):
            def start(self, name, *_):
                raise OSError(f"{name} cannot be started")

            def kill_all(self):
                pass

        matrix = patterns.Matrix(Broken([], []), Quiet(), 1)
        matrix.lp_steps = {0.3: 1}
        for number in range(4):
            matrix.round(number, ["A"], [0.3], ["native"])
        self.assertEqual(len(matrix.failures), patterns.MOST_FAILURES)
        self.assertIn("cannot be started", matrix.failures[0])
        self.assertEqual(len(matrix.table().splitlines()), 2)


class Targets(unittest.TestCase):
    def test_what_was_not_measured_is_not_met(self):
        asked = [("a", None, "<=", 1, "x"), ("b", 0.5, "<=", 1, "x"), ("c", 0.5, ">=", 1, "x")]
        self.assertEqual([entry["met"] for entry in report.targets_json(asked)], [False, True, False])
        self.assertIn("not measured", report.targets_table(asked))


class Results(unittest.TestCase):
    def test_the_file_has_every_field(self):
        with tempfile.TemporaryDirectory() as folder:
            path = report.write_result(folder, "t", "a test", backend.Backend("x", "X", Path()), True, {"a": 1}, "n")
            found = json.loads(path.read_text())
        self.assertEqual(list(found), ["test_id", "test_name", "date", "hardware", "driver_version", "xsched_version",
                                       "status", "metrics", "notes"])
        self.assertEqual(found["status"], "passed")


if __name__ == "__main__":
    unittest.main()
