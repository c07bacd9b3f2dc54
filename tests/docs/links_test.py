#!/usr/bin/env python3
"""Every link of a page of this tree leads to a file, and to a heading where it names one."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("docs", "src", "examples", "python", "bench", "tests", "packaging", "web", "tools")
PAGES = sorted([*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))])


def without_code(text):
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.M | re.S)


def anchors(page):
    """The names that GitHub gives the headings of a page, in their order."""
    headings = re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S), re.M)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return [re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain]


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        self.assertGreater(len(PAGES), 60)
        dead, seen = [], 0
        for page in PAGES:
            for target in re.findall(r"\]\(\s*([^)\s]+)\s*\)", without_code(page.read_text())):
                if re.match(r"\w+:", target):
                    continue
                seen += 1
                name, _, heading = target.partition("#")
                there = (page.parent / name).resolve() if name else page
                if not there.exists() or (heading and there.suffix == ".md" and heading not in anchors(there)):
                    dead.append(f"{page.relative_to(ROOT)}: {target}")
        self.assertEqual(dead, [])
        self.assertGreater(seen, 300)


if __name__ == "__main__":
    unittest.main()
