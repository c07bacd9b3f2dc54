#!/usr/bin/python3
"""Plots, the suite's report, and the test plan's page, from results made up here."""
import json
import math
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from lib import acceptance_page, backend, document, html, plots  # noqa: E402

MS = 1_000_000


def example_plots():
    series = [{"name": "<native>", "peer": "native", "points": [[0.5, 0], [2, 50], [8, 100]]},
              {"name": "new", "peer": "somebody", "points": [[1, 0], [1, 100]], "dashed": True}]
    lane = {"name": "native", "peer": "native", "ns": 160 * MS, "bursts": [[MS, 3 * MS], [40 * MS, 90 * MS]],
            "done": [i * MS for i in range(150)]}
    return [{"kind": "cdf", "title": "c & d", "x": "ms", "series": series},
            {"kind": "lines", "title": "l", "x": "T", "y": "ms", "log": ["x", "y"], "series": series},
            {"kind": "lines", "title": "one point", "x": "T", "y": "ms", "series": [
                {"name": "a", "peer": "xsched", "points": [[1, 0]]}]},
            {"kind": "bars", "title": "b", "y": "%", "groups": ["A", "a very long name of a group of bars", "C"],
             "series": [{"name": "x", "peer": "xsched", "values": [1.5, -2, None]}]},
            {"kind": "bars", "title": "times", "y": "times", "log": ["y"], "groups": ["A", "B"],
             "series": [{"name": "x", "peer": "xsched", "values": [1800, 0.9]}]},
            {"kind": "timeline", "title": "t", "lanes": [lane, {**lane, "peer": "xsched", "bursts": []}]}]


class Plots(unittest.TestCase):
    def test_every_kind_is_well_formed_and_inside_its_frame(self):
        for plot in example_plots():
            drawn = plots.figure(plot)
            root = xml.fromstring(drawn)
            svg = root.find("svg")
            _, _, width, height = (float(word) for word in svg.get("viewBox").split())
            for circle in svg.iter("circle"):
                self.assertTrue(0 <= float(circle.get("cx")) <= width and 0 <= float(circle.get("cy")) <= height)
            for rect in svg.iter("rect"):
                self.assertGreaterEqual(float(rect.get("width")), 0)
                self.assertLessEqual(float(rect.get("x")) + float(rect.get("width")), width + 0.1)
            self.assertNotIn("nan", drawn)

    def test_logarithmic_bars_stand_on_one(self):
        plot = {"kind": "bars", "title": "", "y": "", "log": ["y"], "groups": ["A", "B", "C"],
                "series": [{"name": "x", "peer": "x", "values": [100, 10, 0.1]}]}
        bars = [(float(rect.get("y")), float(rect.get("height")))
                for rect in xml.fromstring(plots.figure(plot)).iter("rect")]
        base = bars[2][0]  # what is below one hangs from there
        self.assertAlmostEqual(bars[0][0] + bars[0][1], base, delta=0.2)
        self.assertAlmostEqual(bars[1][0] + bars[1][1], base, delta=0.2)
        self.assertAlmostEqual(bars[0][1], 2 * bars[1][1], delta=0.3)
        self.assertAlmostEqual(bars[2][1], bars[1][1], delta=0.3)

    def test_nothing_to_draw_is_no_figure(self):
        self.assertEqual(plots.figure({"kind": "cdf", "title": "", "x": "", "series": []}), "")
        self.assertEqual(plots.figure({"kind": "bars", "title": "", "y": "", "groups": ["A"],
                                       "series": [{"name": "x", "peer": "x", "values": [None]}]}), "")

    def test_axes(self):
        axis = plots.Axis([0.3, 47], 0, 100, log=True)
        self.assertTrue(all(0 <= axis.at(tick) <= 100 for tick in axis.ticks))
        self.assertLess(axis.at(0.3), axis.at(47))
        self.assertLessEqual(len(plots.log_ticks(-3, 5)), 9)
        self.assertGreaterEqual(len(plots.log_ticks(math.log10(0.6), math.log10(1.3))), 3)
        self.assertEqual([plots.number(value) for value in (0, 0.02, 0.3, 1.5, 20, 12000)],
                         ["0", "0.02", "0.3", "1.5", "20", "12,000"])

    def test_every_colour_is_in_the_style(self):
        style = html.STYLE.read_text()
        for name in [*plots.KNOWN, *(f"spare{i}" for i in range(plots.SPARE_COLORS))]:
            self.assertIn(f".c-{name} {{", style)


class Report(unittest.TestCase):
    def written(self, folder, name):
        out = document.Document(name, f"Title of {name} <b>", "Why?")
        out.add_table("caption", [["", "p50"], ["native", "3 us"]])
        out.plots, out.targets = example_plots(), [("a", 2, "<=", 1, "x"), ("b", None, "<=", 1, "x")]
        out.headline = [{"label": "A", "values": [["alone", "1 ms", "1 x"], ["native", "2 ms", "2 x"]]}]
        out.write(folder, backend.Backend("x", "X", Path(), "device", "vendor", "driver"))

    def test_it_needs_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("overhead", "main_job"):
                self.written(folder, name)
            (Path(folder) / "not_measured.json").write_text('["Note: busy <here>", "MPS: not installed"]')
            (Path(folder) / "bench_broken.json").write_text("{")
            text = html.write(folder).read_text()
        self.assertIsNone(re.search(r"(src|href)=[\"'](?!#)|@import|url\(|<script", text))
        self.assertIn("<li>MPS: not installed</li>", text)
        self.assertIn('<p class="warning">Note: busy &lt;here&gt;</p>', text)
        self.assertNotIn("<b>\"", text)
        self.assertLess(text.index("Title of main_job"), text.index("Title of overhead"))  # the suite's order
        self.assertIn("Title of main_job &lt;b&gt;", text)

    def test_no_results_are_a_page_too(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("no results yet", html.write(folder).read_text())


class HowSure(unittest.TestCase):
    def test_figures_have_n_intervals_and_spread(self):
        out = document.Document("d", "D", "?")
        out.add_table("c", [["", "p50"], ["native", "3 us"]])
        out.add_samples("a", [float(i * 7919 % 400 + 1) for i in range(400)], [190.0, 210.0])
        out.add_samples("nothing", [])
        out.add_rounds("kept", [0.5, None, 0.7, 0.6], lambda value: document.percent(value))
        certain = [table["rows"][1:] for table in out.metrics()["tables"][1:]]
        self.assertEqual(certain, [[["a", "400", "200 us", "174 us .. 226 us", "396 us", "392 us .. 400 us",
                                     "190 us .. 210 us"]], [["kept", "3", "60 %", "50 % .. 70 %"]]])
        self.assertIn("174 us .. 226 us", out.text())

    def test_a_document_without_them_has_no_such_table(self):
        out = document.Document("d", "D", "?")
        self.assertEqual(out.metrics()["tables"], [])


class Acceptance(unittest.TestCase):
    ROWS = [("1.3", "API <coverage>", "passed", "5", "all right"), ("P4", "dual model", "failed", "9", "too slow"),
            ("5", "levels", "skipped", "0", "")]

    def test_the_page_says_first_what_passed(self):
        with tempfile.TemporaryDirectory() as folder:
            for identity, *_ in self.ROWS:
                (Path(folder) / f"acceptance_{identity}.json").write_text(json.dumps(
                    {"metrics": {"rounds_ms": [3.0, 1.0, 2.0], "deep": {"a": {"b": 1}}}, "notes": "a & b",
                     "date": "2026-11-23T00"}))
            there = backend.Backend("x", "X", Path(), "device", "vendor", "driver")
            text = acceptance_page.write(folder, self.ROWS, there).read_text()
        self.assertLess(text.index("1 of 3 tests passed, 1 failed (P4), 1 skipped (5)."), text.index("<main>"))
        self.assertIn("API &lt;coverage&gt;", text)
        self.assertIn("n 3, median 2, 1 .. 3", text)
        self.assertIn("deep, a, b", text)
        self.assertIn('<td class="missed">failed</td>', text)

    def test_long_values_are_cut(self):
        (_, text), = acceptance_page.flat("x" * 1000, "name")
        self.assertEqual(len(text), acceptance_page.LONGEST)


if __name__ == "__main__":
    unittest.main()
