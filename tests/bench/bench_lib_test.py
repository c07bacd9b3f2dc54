#!/usr/bin/python3
"""The arithmetic of bench/lib on measurements made up here, and what comes of it."""
import json
import re
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import demo  # noqa: E402
import questions  # noqa: E402
from fakes import FakeProgram  # noqa: E402
from lib import (backend, document, intervals, matrix, neighbour_rows, peers, report, requests, rounds,  # noqa: E402
                 suspensions, workloads)

MS = 1_000_000
GPU = workloads.GPU


class FakeSession:
    """hp and lp with these measurements, whatever they are asked; remembers how they were started."""

    def __init__(self, bursts, done):
        self.rows, self.started, self.killed = {"hp": bursts, "lp": [[when] for when in done]}, [], 0

    def start(self, name, options, prefix=(), *_):
        self.started.append((name, options, [str(word) for word in prefix]))
        self.programs = [*getattr(self, "programs", []), FakeProgram(self.rows[name])]
        return self.programs[-1]

    def server_pids(self):
        return []

    def kill_all(self):
        self.killed += 1


class Quiet:
    def doing(self, _):
        pass

    def wait(self, _):
        pass


def peer(name, streams=False):
    return peers.Peer(Path("/somewhere") / name, name.title(), ("cuda",), streams, 1)


def matrix_with(bursts=(), done=()):
    found = matrix.Matrix(FakeSession([list(row) for row in bursts], done), Quiet(), 1, GPU, "native")
    found.steps = {GPU.hp_kernel_ms: 10, 0.3: 100, workloads.ENDLESS: workloads.ENDLESS_STEPS}
    return found


class Percentiles(unittest.TestCase):
    def test_they_are_measured_values(self):
        values = list(range(100, 0, -1))
        self.assertEqual([report.percentile(values, p) for p in (50, 99, 100)], [50, 99, 100])
        self.assertEqual(report.percentile([7], 99), 7)

    def test_a_distribution_grows_and_ends_with_the_greatest(self):
        points = document.cdf([5, 1, 9, 3])
        self.assertEqual(points[0][0], 1)
        self.assertEqual(points[-1], [9, 100])
        self.assertEqual(points, sorted(points, key=lambda point: point[1]))


class Intervals(unittest.TestCase):
    def test_short_gaps_belong_to_a_burst(self):
        self.assertEqual(intervals.busy([(0, 10), (400_000, 10), (2 * MS, 5)]), [(0, 400_010), (2 * MS, 2 * MS + 5)])

    def test_between_are_whole_periods(self):
        self.assertEqual(intervals.between([(0, 2), (10, 13), (20, 21)]), [(2, 10), (13, 20)])

    def test_counting(self):
        self.assertEqual(intervals.count([1, 2, 3, 8, 9, 14], [(2, 8), (9, 14)]), 3)
        self.assertEqual(intervals.rate([0, MS, 2 * MS, 3 * MS]), 1000)

    def test_work_at_an_edge_counts_in_part(self):
        self.assertAlmostEqual(intervals.work([10, 20, 30], [(5, 25)], 10), 0.5 + 1 + 0.5)

    def test_work_interrupted_by_bursts_counts_once(self):
        outside = [(0, 10), (40, 50), (80, 100)]  # bursts between them; pieces of 30
        self.assertAlmostEqual(intervals.work([-5, 90, 120], outside, 30), 1 + 10 / 30)

    def test_time_that_was_not_used_is_lost(self):
        outside = [(0, 100)]
        self.assertAlmostEqual(intervals.work([0, 50, 100], outside, 25), 2)  # 4 had been possible


class NeighbourRows(unittest.TestCase):
    def test_slow_bursts_of_a_slow_host_are_told_apart(self):
        usual, slow_host, slow_device = [0, MS, 0, 300_000], [0, 4 * MS, 0, 3_200_000], [0, 2 * MS, 0, 310_000]
        bursts = [[index * 10 * MS, *row[1:]] for index, row in
                  enumerate([usual] * 90 + [slow_host] * 8 + [slow_device] * 2)]
        found = neighbour_rows.summary(bursts, [], [0, 0])
        self.assertEqual((found["slow"], found["slow_at_launch"]), (10, 8))
        self.assertEqual(found["at_usual_launches"],
                         {"n": 91, "p50_us": 1000, "p99_us": 2000, "longest_us": 2000, "slow": 2})


class Suspensions(unittest.TestCase):
    def test_the_last_kernel_before_the_resumption_counts(self):
        found = suspensions.standstill_us([[10 * MS, 10 * MS, 30 * MS]], [9 * MS, 12 * MS, 14 * MS, 31 * MS])
        self.assertEqual(found, [4000])

    def test_what_stood_still_at_once(self):
        self.assertEqual(suspensions.standstill_us([[10 * MS, 10 * MS, 30 * MS]], [9 * MS, 31 * MS]), [0])

    def test_a_kernel_whose_end_was_seen_too_late_does_not_count(self):
        holds = [[10 * MS, 10 * MS, 30 * MS], [50 * MS, 50 * MS, 70 * MS]]
        done = [12 * MS, 30 * MS + 1000, 52 * MS, 71 * MS]  # one 1 us after the first resumption, kernels of 1 ms
        self.assertEqual(suspensions.standstill_us(holds, done, MS), [2000])


class RequestRates(unittest.TestCase):
    rows = [(i * 100 * MS, 100 * MS) for i in range(20)]  # ten a second

    def test_a_part_of_a_request_more_or_less_does_not_count(self):
        for begin in range(110, 200, 30):
            self.assertAlmostEqual(requests.rate(self.rows, begin * MS, 1750 * MS), 10)
        self.assertAlmostEqual(requests.rate(self.rows), 10)

    def test_a_program_that_was_soon_kept_off_was_not_fast(self):
        self.assertAlmostEqual(requests.rate(self.rows[:2], 50 * MS, 2050 * MS), 1)
        self.assertAlmostEqual(requests.rate(self.rows, 0, 20000 * MS), 1, 1)
        self.assertEqual(requests.rate([]), 0)

    def test_nor_was_one_that_was_kept_off_at_first(self):
        self.assertAlmostEqual(requests.rate(self.rows, -18000 * MS, 2000 * MS), 1, 1)

    def test_of_long_requests_neither_the_first_alone_nor_what_was_under_way_counts_wrongly(self):
        ends = [5400 + 3100 * i for i in range(20)]  # the first is launched while nothing runs
        rows = [(MS, (ends[0] - 1) * MS)] + [((end - 3100) * MS, 3100 * MS) for end in ends[1:]]
        for end in range(13000, 30000, 1700):
            self.assertAlmostEqual(requests.rate(rows, MS, end * MS), 1 / 3.1, 3)


class Cells(unittest.TestCase):
    def test_what_lp_does_outside_the_bursts(self):
        # Bursts of 5 ms, every 20 ms. The low-priority program completes a kernel in each ms of the pauses, and one
        # inside each burst.
        cell = matrix.Cell()
        cell.add([(i * 20 * MS, 5 * MS) for i in range(3)],
                 sorted([i * MS for i in range(60) if i % 20 > 5] + [i * 20 * MS + MS for i in range(3)]))
        self.assertEqual((cell.lp_outside, cell.lp_kernels), (28, 30))
        self.assertAlmostEqual(cell.lp_rate_outside, 28 / 0.030, delta=1)

    def test_a_kernel_at_a_bursts_edge_counts_in_part(self):
        # Bursts of 10 ms at 0 and 30 ms. Kernels of 4 ms: one from 8 ms on, slowed; then without a pause until the
        # burst, into which the last one reaches by 3 ms.
        cell = matrix.Cell()
        cell.add([(0, 10 * MS), (30 * MS, 10 * MS)], [end * MS for end in (8, 13, 17, 21, 25, 29, 33)], 4)
        self.assertAlmostEqual(cell.lp_outside, 3 / 4 + 4 + 1 / 4)
        self.assertEqual(cell.lp_kernels, 6)

    def test_ratios_and_shares_are_of_the_baseline_alone(self):
        found = matrix_with()
        found.cells["native", "A", None].add([(0, MS), (20 * MS, MS)], [])
        found.cells["xsched", "A", 0.3].add([(0, 2 * MS), (20 * MS, 3 * MS)], [i * MS for i in range(40)])
        found.lp_alone["native", 0.3] = [1000]
        self.assertEqual(found.ratio("xsched", "A", 0.3, "p50"), 2)
        self.assertEqual(found.ratio("xsched", "A", 0.3, "p99"), 3)
        self.assertAlmostEqual(found.lp_share("xsched", "A", 0.3), 1, delta=0.06)
        self.assertIsNone(found.ratio("native", "A", 0.3, "p50"))

    def test_overhead_is_the_median_of_the_rounds(self):
        found = matrix_with()
        for latency in (100, 200, 900):
            found.cells["native", "A", None].add([(0, latency)], [])
        for latency in (102, 204, 800):
            found.cells["xsched", "A", None].add([(0, latency)], [])
        self.assertAlmostEqual(found.overhead("xsched", "A"), 0.02)

    def test_a_sample_lies_in_its_window(self):
        kept = matrix.sample([(i * 20 * MS, 5 * MS) for i in range(40)], [i * MS for i in range(800)])
        self.assertTrue(all(0 <= begin < kept["ns"] and end > begin for begin, end in kept["bursts"]))
        self.assertTrue(kept["done"] and all(0 <= when < kept["ns"] for when in kept["done"]))


class Runs(unittest.TestCase):
    BURSTS = [(i * 20 * MS, MS) for i in range(5)]

    def test_each_program_is_started_by_the_peer_in_its_role(self):
        found = matrix_with(self.BURSTS, [i * MS for i in range(100)])
        found.run(peer("xsched"), "B", 0.3, 1)
        started = {name: (options, prefix) for name, options, prefix in found.session.started}
        self.assertEqual(started["hp"][1], ["/somewhere/xsched", "run", "hp"])
        self.assertEqual(started["lp"][1], ["/somewhere/xsched", "run", "lp"])
        self.assertEqual(started["hp"][0]["sync-every"], 5)
        self.assertEqual(len(found.cells["xsched", "B", 0.3].latency_us), 5)

    def test_programs_alone_take_turns_on_the_same_processors(self):
        found = matrix_with(self.BURSTS)
        found.run_in_turns([peer("native"), peer("xsched")], "A", 0)
        (_, options, native), (_, _, xsched) = found.session.started
        self.assertEqual([program.turns for program in found.session.programs], [options["turns"]] * 2)
        self.assertEqual([native[:3], xsched[:3]],
                         [["/somewhere/" + name, "run", "hp"] for name in ("native", "xsched")])
        self.assertEqual(native[3:], xsched[3:], "behind what may start a server")
        self.assertEqual(found.overheads("xsched", "A"), [0])

    def test_a_program_that_fails_in_its_turn_spoils_the_round_for_all(self):
        found = matrix_with()  # no bursts
        found.session.start = lambda name, options, prefix: (_ for _ in ()).throw(OSError("no")) \
            if "xsched" in str(prefix[0]) else FakeProgram(self.BURSTS)
        for number in range(3):
            found.run_in_turns([peer("native"), peer("xsched")], "A", number)
        self.assertEqual(found.failures, [("xsched", "pattern A, alone: no")] * matrix.MOST_FAILURES)
        self.assertEqual(len(found.cells["native", "A", None].run_p50_us), 1)  # once the other was left out

    def test_an_endless_kernel_is_not_waited_for(self):
        found = matrix_with(self.BURSTS, [])
        found.run(peer("xsched"), "A", workloads.ENDLESS, 1)
        lp = next(options for name, options, _ in found.session.started if name == "lp")
        self.assertEqual((lp["steps"], lp["depth"]), (workloads.ENDLESS_STEPS, 1))
        self.assertEqual(found.failures, [])
        self.assertEqual(len(found.cells["xsched", "A", workloads.ENDLESS].latency_us), 5)

    def test_failures_are_kept_and_a_peer_that_fails_is_left_out(self):
        found = matrix_with()
        found.session.start = lambda name, *_: (_ for _ in ()).throw(OSError(f"{name} cannot be started"))
        for number in range(4):
            found.run(peer("mps"), "A", 0.3, number)
        self.assertEqual(len(found.failures), matrix.MOST_FAILURES)
        self.assertIn("cannot be started", found.failures[0][1])
        self.assertEqual(found.session.killed, matrix.MOST_FAILURES)

    def test_targets_are_set_for_what_there_was_time_for(self):
        found = matrix_with(self.BURSTS, [i * MS for i in range(100)])
        suite = type("S", (), {"peer": lambda self, name: name, "stream": "null"})()
        self.assertEqual(questions.main_job.targets(found, suite, ["A", "B"], [0.3]), [])
        found.run(peer("native"), "A", None, 1)
        found.run(peer("xsched"), "A", 0.3, 1)
        asked = questions.main_job.targets(found, suite, ["A", "B"], [0.3])
        self.assertEqual([entry[0].split(",")[0] for entry in asked], ["A"] * 3)


class LatencyTargets(unittest.TestCase):
    @staticmethod
    def outcome(*cases):
        return [found for _, found, _, _, _ in questions.auto.target_outcome(cases)]

    def test_one_that_is_called_impossible_need_not_be_met(self):
        self.assertEqual(self.outcome((99.5, False), (40, True)), [99.5, 0])
        self.assertEqual(self.outcome((99.5, False), (40, False)), [40, 0])
        self.assertEqual(self.outcome((99.5, True), (40, True)), [0, 1])

    def test_nothing_is_said_of_nothing(self):
        self.assertEqual(self.outcome(), [None, None])


class Rounds(unittest.TestCase):
    def test_every_piece_runs_in_every_round_beginning_with_another(self):
        order = []
        group = [lambda number, name=name: order.append((number, name)) for name in "abc"]
        done = rounds.run([group], 3, time.monotonic() + 60, 0.001, rounds.Pace(0.001))
        self.assertEqual(done, 3)
        self.assertEqual([name for _, name in order], list("abc" "bca" "cab"))

    def test_nothing_is_begun_that_cannot_end_in_time(self):
        order = []
        done = rounds.run([[lambda number: order.append(number)]], 3, time.monotonic() + 1, 5, rounds.Pace(1))
        self.assertEqual((done, order), (0, []))

    def test_what_fits(self):
        pace = rounds.Pace(1)
        self.assertEqual(pace.fit_seconds(30, 10, 5, 0.2), 2)
        self.assertEqual(pace.fit_seconds(300, 10, 5, 0.2), 5)
        self.assertEqual(pace.fit_seconds(1, 10, 5, 0.2), 0.2)
        pace.note(9, 1)
        self.assertGreater(pace.start_up, 1)


class Targets(unittest.TestCase):
    def test_what_was_not_measured_is_not_met(self):
        asked = [("a", None, "<=", 1, "x"), ("b", 0.5, "<=", 1, "x"), ("c", 0.5, ">=", 1, "x")]
        self.assertEqual([entry["met"] for entry in report.targets_json(asked)], [False, True, False])
        self.assertIn("not measured", report.targets_table(asked))


class Results(unittest.TestCase):
    FIELDS = ["test_id", "test_name", "date", "hardware", "driver_version", "xsched_version", "status", "verdict",
              "metrics", "notes"]

    def test_the_file_has_every_field(self):
        with tempfile.TemporaryDirectory() as folder:
            path = report.write_result(folder, "t", "a test", backend.Backend("x", "X", Path()), True, {"a": 1}, "n")
            found = json.loads(path.read_text())
            skipped = report.write_result(folder, "2.1", "b", backend.Backend("x", "X", Path()), "skipped", {}, "",
                                          "acc_2.1")
            self.assertEqual(skipped.name, "acc_2.1.json")
            self.assertEqual(json.loads(skipped.read_text())["status"], "SKIP")
        self.assertEqual(list(found), self.FIELDS)
        self.assertEqual((found["status"], found["verdict"]), ("PASS", "passed"))

    def test_amds_files_have_the_documents_name_of_the_version(self):
        with tempfile.TemporaryDirectory() as folder:
            amd = backend.Backend("hip", "HIP", Path(), driver="7.2")
            found = json.loads(report.write_result(folder, "t", "a test", amd, False, {}, "").read_text())
        self.assertEqual((found["rocm_version"], found["status"]), ("7.2", "FAIL"))

    def test_a_failed_run_or_a_missed_target_is_no_success(self):
        out = document.Document("d", "D", "?")
        self.assertEqual(out.status, "passed")
        out.targets = [("a", 2, "<=", 1, "x")]
        self.assertEqual(out.status, "failed")
        out.targets, out.failures = [], ["it broke"]
        self.assertEqual(out.status, "failed")

    def test_a_table_of_dashes_is_empty(self):
        out = document.Document("d", "D", "?")
        out.add_table("c", [["", "p50"], ["native", "-"], ["xsched", "- / -"]])
        self.assertTrue(out.empty)
        out.add_table("c", [["", "p50"], ["native", "3 us"]])
        self.assertFalse(out.empty)


class Demo(unittest.TestCase):
    def found(self, alone, native, xsched, kept):
        found = matrix_with()
        for cell, latency in zip(demo.cells("A", 0.3), (alone, native, xsched)):
            found.cells[cell].add([(i * 60 * MS, int((latency + i % 7 / 100) * MS)) for i in range(40)], [])
        found.lp_share = lambda *_: kept
        return found

    def test_helped_means_clearly_better(self):
        for measured, status in (((20, 40, 24, 0.9), "passed"), ((20, 40, 39, 0.9), "failed"),
                                 ((20, 40, 21, 0.1), "failed"), ((20, 21, 20, 0.9), "nothing to gain"),
                                 ((20, 40, 10, 0.9), "no verdict")):
            self.assertEqual(demo.judge(self.found(*measured), "A", 0.3)[0], status)

    def test_the_tables_have_a_line_for_each_scenario(self):
        text = demo.tables(self.found(20, 40, 24, 0.9), "A", 0.3)
        for title in ("alone", "shared natively", "shared under XSched"):
            self.assertEqual(len(re.findall(f"^{title} ", text, re.MULTILINE)), 2)
        self.assertIn("40 ms", text)

    def test_the_page_says_its_verdict_first(self):
        found = self.found(20, 40, 24, 0.9)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "demo.html"
            text = demo.write_page(found, "A", 0.3, demo.judge(found, "A", 0.3)[1], "here", path).read_text()
        self.assertLess(text.index("Passed: the urgent program"), text.index("<svg"))


if __name__ == "__main__":
    unittest.main()
