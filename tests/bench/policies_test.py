#!/usr/bin/python3
"""The arithmetic of what measures policies: AUTO's frontier, deadlines, and random sequences on many processors."""
import stat
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import sequences  # noqa: E402
from lib import plots  # noqa: E402
from lib.document import Document  # noqa: E402
from questions import auto, shares  # noqa: E402


class Frontier(unittest.TestCase):
    def drawn(self, rows, usual=1.0):
        found = auto.Auto.__new__(auto.Auto)
        found.lengths, found.usual, found.raw = (0.05, 0.3), usual, {"frontier": rows}
        found.out = Document("auto", "title", "question")
        found.draw_frontier()
        return found.out

    def test_targets_are_a_line_and_all_else_points(self):
        rows = [("AUTO", None, None, 1.1, 3000), ("AUTO, target 2x", 2, False, 1.8, 3100),
                ("AUTO, target 1.3x", 1.3, False, 1.25, 3050), ("MPS", None, None, 3, 3300),
                ("UP", None, None, None, 1)]
        plot = self.drawn(rows).plots[0]
        self.assertEqual(plot["series"][0]["points"], [[1.25, 3050], [1.8, 3100]])
        self.assertEqual([each["name"] for each in plot["series"][1:]], ["AUTO", "MPS"])
        self.assertIn("<svg", plots.figure(plot))

    def test_nothing_is_drawn_of_nothing(self):
        self.assertEqual(self.drawn([("MPS", None, None, 3, 3300)], usual=None).plots, [])


class Deadlines(unittest.TestCase):
    @staticmethod
    def targets(late):
        """Returns the questions after so many late bursts of ten each, by way."""
        found = shares.Shares.__new__(shares.Shares)
        found.scale, found.late = 1, {way: [[[1000.0] * number + [1.0] * (10 - number)] + [[1.0] * 10] * 3]
                                      for way, number in late.items()}
        out = Document("shares", "title", "question")
        shares.add_deadlines(out, found)
        return {what.split(":")[0]: value for what, value, *_ in out.targets}

    def test_each_way_is_judged(self):
        self.assertEqual(self.targets({"native": 5, "LAX": 1, "KEDF": 0}), {"KEDF": 0, "natively": 5, "LAX": 1})
        self.assertEqual(self.targets({"native": 5, "LAX": 6, "KEDF": 0})["LAX"], 0)
        self.assertEqual(self.targets({"native": 5}), {"KEDF": None, "natively": 5, "LAX": None})

    def test_only_lax_has_a_laxity(self):
        self.assertEqual(shares.deadline_hints(None, 20, 8), {})
        self.assertEqual(shares.deadline_hints("KEDF", 20, 8), {"DEADLINE": 20000})
        self.assertEqual(shares.deadline_hints("LAX", 20, 8)["LAXITY"], 12000)


class Sequences(unittest.TestCase):
    def run_with(self, script, budget=60, policies=("HPF", "LAX")):
        with tempfile.TemporaryDirectory() as folder:
            xsim = Path(folder) / "xsim"
            xsim.write_text(f"#!/bin/sh\n{script}\n")
            xsim.chmod(xsim.stat().st_mode | stat.S_IXUSR)
            runs = sequences.Runs(xsim, True, time.monotonic() + budget)
            found = [runs.piece(policy, 1, 10) for policy in policies]
            return sequences.add_up(policies, found, 10), runs.broken

    SAYS = ('{"runs": 10, "failed": 1, "events": 5, "client_hours": 0.5, "seconds": 2, "longest_wait_ms": 7, '
            '"failures": [{"seed": 4, "policy": "P", "sentences": ["it waits"]}]}')

    def test_failures_are_kept_by_seed(self):
        sums, broken = self.run_with(f"echo '{self.SAYS}'; exit 1")
        self.assertEqual((sums["LAX"]["runs"], sums["LAX"]["failed"], sums["LAX"]["missing"], broken), (10, 1, 0, []))
        self.assertEqual(sums["HPF"]["failures"][0]["seed"], 4)

    def test_what_breaks_or_has_no_time_is_missing(self):
        sums, broken = self.run_with("echo no; exit 3")
        self.assertEqual((sums["HPF"]["missing"], len(broken)), (10, 2))
        sums, broken = self.run_with("sleep 20", budget=0.3)
        self.assertEqual((sums["HPF"]["missing"], broken), (10, []))

    def test_policies_advance_alike_and_all_seeds_are_there(self):
        options = type("O", (), {"long": False, "first": 7, "seeds": 4500})
        found = sequences.pieces(options, ["HPF", "LAX"])
        self.assertEqual([policy for policy, _, _ in found[:4]], ["HPF", "LAX", "HPF", "LAX"])
        self.assertEqual([(first, count) for policy, first, count in found if policy == "LAX"],
                         [(7, 2000), (2007, 2000), (4007, 500)])


if __name__ == "__main__":
    unittest.main()
