#!/usr/bin/python3
"""bench/admission.py: its arithmetic, and that docs/ADMIT.md has what its JSON has."""
import json
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import admission  # noqa: E402


class Admission(unittest.TestCase):
    def test_quantiles_ascend_and_keep_the_known_ones(self):
        quantiles = admission.quantiles_of({"p50": 100, "p90": 150, "p99": 400, "max": 900})
        self.assertEqual(quantiles, sorted(quantiles))
        self.assertEqual([quantiles[admission.PARTS.index(part)] for part in (0.5, 0.9, 0.99, 1)],
                         [100, 150, 400, 900])

    def test_score_counts_what_was_admitted_and_kept(self):
        row = {"measured": {"least_admitted": 1.0, "least_kept": 1.1}}
        one = admission.score([row], "measured", "near")
        self.assertEqual((one["admitted"], one["refused"]), (16, 10))
        self.assertAlmostEqual(one["admitted_kept"], 11 / 16, 3)
        self.assertEqual(one["refused_would_have_been"], 0)
        never = admission.score([{"measured": {"least_admitted": None, "least_kept": 0.9}}], "measured", "near")
        self.assertEqual((never["admitted"], never["refused"]), (0, 26))
        self.assertAlmostEqual(never["refused_would_have_been"], 21 / 26, 3)

    def test_the_page_has_the_figures_and_all_are_as_good_as_asked_for(self):
        document = json.loads((ROOT / "bench" / "results" / "admission.json").read_text())
        page = (ROOT / "docs" / "ADMIT.md").read_text()
        self.assertIn(admission.table_of(document["rows"]), page)
        self.assertIn(admission.score_table(document["scores"]), page)
        for source in admission.SOURCES:
            for grid in admission.GRIDS:
                self.assertEqual(admission.score(document["rows"], source, grid),
                                 document["scores"][f"{source}, {grid}"])
            wide = document["scores"][f"{source}, wide"]
            self.assertGreaterEqual(wide["admitted_kept"], admission.WANTED_KEPT, source)
            self.assertLessEqual(wide["refused_would_have_been"], admission.WANTED_REFUSED)


if __name__ == "__main__":
    unittest.main()
