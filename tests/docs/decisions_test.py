#!/usr/bin/env python3
"""The index of docs/decisions has a line for each page, with the page's own title and date, and a status."""
import re
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "decisions"
PAGES = sorted(FOLDER.glob("[0-9]*.md"))
ROW = re.compile(r"^\| \[(\d+)\]\(([^)]*)\) \| (.*) \| (.*) \| (\d{4}-\d\d-\d\d) \|$", re.M)
OTHER_PAGE = r"\[\d+\]\([^)]*\)"
STATUS = re.compile(rf"in force(, changed by {OTHER_PAGE}(, {OTHER_PAGE})*)?|superseded by {OTHER_PAGE}")


class Index(unittest.TestCase):
    def setUp(self):
        self.rows = ROW.findall((FOLDER / "README.md").read_text())

    def test_every_page_has_a_line_with_its_title_and_date(self):
        there = []
        for page in PAGES:
            text = page.read_text()
            number, title = re.match(r"# (\d+):? (.*)", text).groups()
            self.assertTrue(page.name.startswith(number), page.name)
            there.append((number, page.name, title, re.search(r"\d{4}-\d\d-\d\d", text).group(0)))
        self.assertGreater(len(there), 20)
        self.assertEqual([(number, name, title, date) for number, name, title, _, date in self.rows], there)

    def test_every_status_says_what_counts_and_names_a_later_page(self):
        names = {page.name for page in PAGES}
        for number, _, _, status, _ in self.rows:
            self.assertRegex(status, rf"^({STATUS.pattern})$", number)
            for other, name in re.findall(r"\[(\d+)\]\(([^)]*)\)", status):
                self.assertTrue(name in names and name.startswith(other), f"{number}: {name}")
                self.assertGreater(other, number)


if __name__ == "__main__":
    unittest.main()
