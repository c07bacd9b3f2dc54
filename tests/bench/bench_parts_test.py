#!/usr/bin/python3
"""The parts of bench/: peers that declare themselves, questions of the suite, the launch costs' outcome."""
import contextlib
import io
import math
import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests" / "gpu")]
import launch_cost  # noqa: E402
import questions  # noqa: E402
import run_deterministic  # noqa: E402
from lib import peers, plots, workloads  # noqa: E402
from lib.progress import DOT_SECONDS, Progress  # noqa: E402

GPU = workloads.GPU


class Peers(unittest.TestCase):
    def adapter(self, folder, name, body, head="# peer: A peer\n# on: cuda opencl\n# order: 3\n"):
        path = Path(folder) / name
        path.write_text(f"#!/bin/bash\n{head}{body}\n")
        path.chmod(0o755)
        return path

    def test_every_adapter_of_the_suite_declares_itself(self):
        found = {each.name: each for each in peers.all_peers()}
        self.assertLessEqual({"native", "mps", "mps_priority", "stream_priorities", "static_timeslices", "xsched",
                              "xsched_l1", "xsched_l2", "xsched_l3"}, set(found))
        self.assertTrue(found["stream_priorities"].streams and not found["xsched"].streams)
        self.assertEqual(set(plots.KNOWN) - {"alone"}, set(found))

    def test_a_new_script_is_a_peer(self):
        with tempfile.TemporaryDirectory() as folder:
            self.adapter(folder, "other", '[ "$1" = run ] && exec "${@:3}"; exit 0')
            self.adapter(folder, "notes.txt", "", head="")
            found = peers.all_peers(folder)
            self.assertEqual([(each.name, each.title, each.order) for each in found], [("other", "A peer", 3)])
            self.assertEqual(peers.refusal(found[0], "opencl", dict(os.environ)), "")
            self.assertEqual(peers.refusal(found[0], "hip", dict(os.environ)), "only on cuda, opencl")

    def test_it_says_why_it_cannot_be_used(self):
        with tempfile.TemporaryDirectory() as folder:
            peer_here = peers.declared(self.adapter(folder, "other", "echo no such driver; exit 77"))
            broken = peers.declared(self.adapter(folder, "broken", "echo oh; exit 3"))
            self.assertEqual(peers.refusal(peer_here, "cuda", dict(os.environ)), "no such driver")
            self.assertIn("check failed", peers.refusal(broken, "cuda", dict(os.environ)))

    def test_a_service_lives_as_long_as_it_is_needed(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = Path(folder) / "mark"
            path = self.adapter(folder, "served", f'echo up > {mark}; echo ready; cat; echo down > {mark}')
            with peers.Service(peers.declared(path), dict(os.environ)):
                self.assertEqual(mark.read_text(), "up\n")
            self.assertEqual(mark.read_text(), "down\n")
            without = self.adapter(folder, "without", "exit 0")
            with peers.Service(peers.declared(without), dict(os.environ)):
                pass
            failing = self.adapter(folder, "failing", "exit 1")
            self.assertRaises(LookupError, peers.Service, peers.declared(failing), dict(os.environ))


class Questions(unittest.TestCase):
    def test_each_has_what_the_suite_asks_of_it(self):
        for name, module in questions.ALL.items():
            self.assertEqual(module.NAME, name)
            self.assertGreater(module.WEIGHT, 0)
            self.assertTrue(callable(module.answer) and module.__doc__)

    def test_lengths_are_spread(self):
        suite = type("S", (), {"lengths_ms": (), "workload": GPU, "profile": type("P", (), {"lengths": 3})()})()
        self.assertEqual(questions.lengths.chosen_lengths(suite), [0.05, 3, math.inf])
        suite.profile.lengths = 1
        self.assertEqual(questions.lengths.chosen_lengths(suite), [math.inf])


class ProgressShown(unittest.TestCase):
    def test_a_line_does_not_follow_a_dot(self):
        both = io.StringIO()
        with contextlib.redirect_stdout(both), Progress(10, stream=both) as progress:
            progress.doing("a part that just began")
            progress.say("first")
            progress.began -= DOT_SECONDS
            progress.doing("a part")
            progress.say("second")
        self.assertEqual(both.getvalue(), "first\n.\nsecond\n")

    def test_dots_end_with_their_line_if_a_part_fails(self):
        both = io.StringIO()
        with self.assertRaises(OSError), Progress(10, stream=both) as progress:
            progress.began -= DOT_SECONDS
            progress.doing("a part")
            raise OSError
        self.assertEqual(both.getvalue(), ".\n")


class LaunchCost(unittest.TestCase):
    @staticmethod
    def found(**medians):
        return {(way.replace("_", " "), kind): {"median_ns": value} for way, value in medians.items()
                for kind in launch_cost.KINDS}

    def test_hip_is_compared_with_what_is_added_on_cuda(self):
        rows, targets = launch_cost.hip_outcome(self.found(native=1000, xsched=1100, hip=3000, hip_xsched=3130))
        self.assertEqual(rows[1], (launch_cost.KINDS[0], "1000", "1100", "3000", "3130", "100", "130", "1.30"))
        self.assertEqual([(round(value, 2), limit) for _, value, _, limit, _ in targets], [(1.3, 1.2)] * 2)

    def test_no_ratio_to_nothing(self):
        _, targets = launch_cost.hip_outcome(self.found(native=1000, xsched=990, hip=3000, hip_xsched=3130))
        self.assertEqual([value for _, value, _, _, _ in targets], [None, None])
        self.assertEqual(launch_cost.hip_outcome(self.found(native=1, xsched=2))[1], [])

    def test_cuda_has_a_limit_of_its_own(self):
        rows, targets = launch_cost.outcome(self.found(native=1000, xsched=1100, local=1090))
        self.assertEqual(rows[2], (launch_cost.KINDS[1], "1000", "1100", "1090", "100", "90", "-"))
        self.assertEqual([value for _, value, _, _, _ in targets], [100] * 7)
        self.assertEqual({what: limit for what, _, _, limit, _ in targets}["added to an event query"], 60)


class Deterministic(unittest.TestCase):
    def found(self, native=(1, 2), again=(1, 2), beside=(1, 2), bursts=(5,)):
        return dict(zip(run_deterministic.WAYS, ((9.0, native, []), (9.0, again, []), (9.0, beside, bursts))))

    def test_every_difference_is_said(self):
        self.assertEqual(run_deterministic.judge(self.found(), 1000), [])
        for found, words in ((self.found(beside=(1, 3)), "under XSched the parameters differ by step 200"),
                             (self.found(again=(2, 2)), "two native runs differ by step 100"),
                             (self.found(bursts=()), "no burst")):
            self.assertIn(words, run_deterministic.judge(found, 1000)[0])


if __name__ == "__main__":
    unittest.main()
