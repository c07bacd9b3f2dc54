#!/usr/bin/env python3
"""The chart of xcli demo on a terminal: longer bars for longer times, grey without a verdict."""
import io
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from lib import comparison, own_page, terminal_chart  # noqa: E402


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def ways():
    return [comparison.Way(title, name, peer, [us] * 400)
            for title, name, peer, us in (("alone", "alone", "alone", 10_000),
                                          ("shared natively", "natively", "native", 40_000),
                                          ("shared under XSched", "XSched", "xsched", 12_000))]


class Chart(unittest.TestCase):
    def test_bars_are_as_long_as_times(self):
        lines = terminal_chart.chart(ways(), True, io.StringIO())
        self.assertEqual(len(lines), 6)
        cells = [line.count("#") for line in lines[:3]]
        self.assertEqual(cells, [10, 40, 12])
        self.assertIn("p50 natively", lines[1])
        self.assertTrue(lines[0].endswith("10 ms"), lines[0])
        self.assertIn("p99 XSched", lines[5])

    def test_colours_stand_for_a_verdict(self):
        judged = "".join(terminal_chart.chart(ways(), True, Terminal()))
        unjudged = "".join(terminal_chart.chart(ways(), False, Terminal()))
        self.assertIn(terminal_chart.COLOURS["native"], judged)
        self.assertNotIn(terminal_chart.COLOURS["native"], unjudged)
        self.assertIn(terminal_chart.GREY, unjudged)
        self.assertIn("█", judged)
        self.assertNotIn("\033", "".join(terminal_chart.chart(ways(), True, io.StringIO())), "no terminal")

    def test_the_page_is_grey_as_well(self):
        self.assertIn('class="unjudged"', own_page.sections(ways(), [], [], False))
        self.assertNotIn("unjudged", own_page.sections(ways(), [], []))


if __name__ == "__main__":
    unittest.main()
