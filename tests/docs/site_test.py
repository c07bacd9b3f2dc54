#!/usr/bin/python3
"""make docs: every link of the site leads somewhere, and the search has every page."""
import importlib.util
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120


@unittest.skipUnless(importlib.util.find_spec("markdown"), "python3-markdown is missing: scripts/install_deps.sh docs")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        subprocess.run(["/usr/bin/python3", "-B", ROOT / "tools/docs/site.py", cls.folder], check=True, timeout=SECONDS,
                       stdout=subprocess.DEVNULL)
        cls.pages = {path: path.read_text(encoding="utf-8") for path in sorted(cls.folder.rglob("*.html"))}

    def test_every_link_leads_somewhere(self):
        names = {path: set(re.findall(r'id="([^"]+)"', text)) for path, text in self.pages.items()}
        dead, seen = [], 0
        for path, text in self.pages.items():
            for target in re.findall(r'(?:href|src)="([^"]+)"', text):
                if re.match(r"\w+:", target):
                    continue
                seen += 1
                name, _, heading = target.partition("#")
                there = (path.parent / name).resolve() if name else path
                if not there.exists() or (heading and heading not in names.get(there, ())):
                    dead.append(f"{path.relative_to(self.folder)}: {target}")
        self.assertEqual(dead, [])
        self.assertGreater(seen, 2000)

    def test_it_needs_no_server_and_no_other_place(self):
        for path, text in self.pages.items():
            self.assertEqual(re.findall(r'(?:src|<link[^>]*href)="((?:https?:)?//[^"]*)"', text), [], path)

    def test_the_search_has_every_page(self):
        text = (self.folder / "search.js").read_text(encoding="utf-8")
        index = json.loads(text[text.index("["):text.rindex(";")])
        self.assertEqual({entry["page"] for entry in index},
                         {path.relative_to(self.folder).as_posix() for path in self.pages})
        memory = next(entry for entry in index if entry["page"] == "docs/memory.html")
        self.assertIn("--evictable", memory["text"])

    def test_both_languages_have_a_start_page_with_a_menu(self):
        english, chinese = self.pages[self.folder / "index.html"], self.pages[self.folder / "README.zh-CN.html"]
        self.assertIn('lang="en"', english)
        self.assertIn('lang="zh-CN"', chinese)
        for text in (english, chinese):
            self.assertIn('<nav id="menu"', text)
            self.assertIn('href="docs/USING.html"', text)

    def test_python_has_a_page_made_from_docstrings(self):
        text = self.pages[self.folder / "python/api.html"]
        self.assertIn("set_scheduler", text)
        self.assertIn("The length of a turn", text)


if __name__ == "__main__":
    unittest.main()
