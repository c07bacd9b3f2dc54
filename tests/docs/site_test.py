#!/usr/bin/python3
"""make docs: every link of the site leads somewhere, and the search has every page."""
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/web"))
sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402

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
        entries = {entry["page"]: entry for entry in index}
        self.assertIn("--evictable", entries["docs/memory.html"]["text"])
        using = entries["docs/zh-CN/USING.html"]
        self.assertEqual((using["language"], using["same"]), ("zh-CN", "docs/USING.html"))
        self.assertIn("优先级数值越大越紧急", using["text"])

    @unittest.skipIf(Browser.missing(), Browser.missing())
    def test_the_search_finds_chinese_words_and_shows_each_page_once(self):
        def found(page, words):
            browser.open((self.folder / page).as_uri())
            return browser.js("byId('search').value = arguments[0]; showFound();"
                              "return [...document.querySelectorAll('#found a')].map((it) => it.getAttribute('href'));",
                              words)
        with Browser() as browser:
            self.assertIn("../../docs/zh-CN/POOL.html", found("docs/zh-CN/USING.html", "上下文"))
            self.assertIn("../../docs/zh-CN/choosing.html", found("docs/zh-CN/USING.html", "抢占显存"))  # two words
            self.assertIn("../../docs/zh-CN/CONFIG.html", found("docs/zh-CN/USING.html", "xsched-rules"))
            self.assertNotIn("../../docs/CONFIG.html", found("docs/zh-CN/USING.html", "xsched-rules"))
            self.assertIn("./docs/CONFIG.html", found("index.html", "xsched-rules"))
            self.assertNotIn("./docs/zh-CN/CONFIG.html", found("index.html", "xsched-rules"))

    def test_both_languages_have_a_start_page_with_a_menu(self):
        english, chinese = self.pages[self.folder / "index.html"], self.pages[self.folder / "README.zh-CN.html"]
        self.assertIn('lang="en"', english)
        self.assertIn('lang="zh-CN"', chinese)
        for text, folder in ((english, "docs"), (chinese, "docs/zh-CN")):
            self.assertIn('<nav id="menu"', text)
            self.assertIn(f'href="{folder}/USING.html"', text)

    def test_the_switch_leads_to_the_same_page_in_the_other_language(self):
        for page, other in (("docs/USING.html", "zh-CN/USING.html"), ("docs/zh-CN/USING.html", "../USING.html"),
                            ("docs/xsim.html", "../README.zh-CN.html"), ("README.zh-CN.html", "index.html")):
            self.assertIn(f'<a href="{other}" id="other">', self.pages[self.folder / page])

    def test_chinese_text_has_no_spaces_from_line_ends(self):
        for path, text in self.pages.items():
            if "zh-CN" in path.parts:
                prose = re.sub("<pre>.*?</pre>", "", text, flags=re.S)
                self.assertEqual(re.findall("[，。、；：）]\n *[\u4e00-\u9fff]|\n *（", prose), [], path)

    def test_no_list_is_taken_for_a_paragraph(self):
        for path, text in self.pages.items():
            self.assertEqual(re.findall(r"<p>(?:(?!</p>).)*\n- ", text, re.S), [], path)

    def test_python_has_a_page_made_from_docstrings(self):
        text = self.pages[self.folder / "python/api.html"]
        self.assertIn("set_scheduler", text)
        self.assertIn("The length of a turn", text)


if __name__ == "__main__":
    unittest.main()
