#!/usr/bin/env python3
"""README.md and README.zh-CN.md: short, with the figures of the committed results. That both say the same is
languages_test.py, that their commands work tests/examples/readme_test.py."""
import json
import math
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))
import published_page  # noqa: E402
import readme_chart  # noqa: E402
from lib.document import percent  # noqa: E402

MOST_BYTES = 7168  # a page that is read to its end; what does not fit has a page in docs
ENGLISH, CHINESE = ((ROOT / name).read_text() for name in ("README.md", "README.zh-CN.md"))
LEAST_CONTRAST = 4.5  # of text, by WCAG 2.1


def tables(text):
    """Each table's rows, as lists of cells."""
    found = re.findall(r"(?:^\|.*\n)+", text, re.M)
    return [[[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()] for table in found]


def three_digits(value):
    digits = 2 - math.floor(math.log10(value))
    return f"{round(value, digits):.{max(digits, 0)}f}"


def figures(path):
    """[alone, shared, MPS, XSched, kept], as the table of figures has them."""
    if "published" in path:
        one = published_page.figures(ROOT / path)
        latency, kept = one["latency_us"], percent(one["kept"]["xsched"])
        times = [latency[way]["p99"] / 1000 if way in latency else None for way in ("alone", "native", "mps", "xsched")]
    else:
        head, *rows = json.loads((ROOT / path).read_text())["metrics"]["tables"][0]["rows"]
        p99 = [float(row[head.index("A: p99")].removesuffix(" ms")) for row in rows]
        times = [p99[0], p99[1], None, p99[2]]
        kept = percent(float(rows[2][head.index("low keeps")].split("%")[0]) / 100)
    return [*(three_digits(time) if time else "-" for time in times), kept]


def contrast(one, other):
    """Between two colours, by WCAG 2.1."""
    def luminance(color):
        parts = [int(color[place:place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


class Readme(unittest.TestCase):
    def test_it_is_short(self):
        for text in (ENGLISH, CHINESE):
            self.assertLessEqual(len(text.encode()), MOST_BYTES, text[:40])

    def test_its_figures_are_those_of_the_results(self):
        for text in (ENGLISH, CHINESE):
            rows = [row for table in tables(text) for row in table if ".json)" in row[0]]
            self.assertEqual(len(rows), 5)
            for row in rows:
                path = re.search(r"\((bench/results/[^)]*)\)", row[0]).group(1)
                self.assertEqual(row[1:], figures(path), path)

    def test_every_target_of_make_is_there(self):
        known = set(re.findall(r"^\.PHONY:(.*)$|^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
        known = {word for pair in known for words in pair for word in words.split()}
        named = re.findall(r"\bmake ([a-z-]+)", ENGLISH)
        self.assertGreaterEqual(len(named), 3)
        self.assertEqual([name for name in named if name not in known], [])


class Chart(unittest.TestCase):
    def test_it_is_what_the_script_makes_of_the_results(self):
        for language, name in readme_chart.FILES.items():
            self.assertEqual((ROOT / "docs" / "images" / name).read_text(), readme_chart.chart(language),
                             "run bench/readme_chart.py")

    def test_its_text_is_readable_on_light_and_dark(self):
        for colors in (readme_chart.LIGHT, readme_chart.DARK):
            for ink in ("ink", "soft"):
                self.assertGreater(contrast(colors[ink], colors["card"]), LEAST_CONTRAST, (ink, colors))

    def test_its_description_says_the_same_as_the_readme(self):
        one = readme_chart.measured()
        for text in (ENGLISH, CHINESE):
            described = re.search(r"!\[([^]]*)\]\(docs/images/latency", text).group(1)
            for way in readme_chart.WAYS:
                self.assertIn(f"{readme_chart.milliseconds(one, way):.2f}", described)


if __name__ == "__main__":
    unittest.main()
