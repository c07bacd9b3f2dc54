#!/usr/bin/env python3
"""CHANGELOG.md is short, and begins with the version that the build has. That all that is built and installed has this
version is tests/install/versions_test.py."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
RELEASES = re.findall(r"^## (\S+), (\S+)\n(.*?)(?=^## |\Z)", CHANGELOG, re.M | re.S)
MOST_LINES = 100         # of one release: a page
MOST_LINES_OF_ENTRY = 4  # one sentence and a link; what is longer belongs to docs


class Changelog(unittest.TestCase):
    def test_the_newest_release_is_the_version_of_the_build(self):
        built = re.search(r"^project\(xsched VERSION (\S+) ", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
        version, date, _ = RELEASES[0]
        self.assertEqual(version, built)
        self.assertRegex(date, r"^\d{4}-\d\d-\d\d$")

    def test_a_release_is_a_page_of_short_entries(self):
        for version, _, text in RELEASES:
            self.assertLessEqual(text.count("\n"), MOST_LINES, version)
            entries = re.findall(r"^- .*\n(?:  .*\n)*", text, re.M)
            self.assertGreater(len(entries), 0, version)
            for entry in entries:
                self.assertLessEqual(entry.count("\n"), MOST_LINES_OF_ENTRY, entry)


if __name__ == "__main__":
    unittest.main()
