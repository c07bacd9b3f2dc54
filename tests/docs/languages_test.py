#!/usr/bin/env python3
"""Each Chinese page says what its English page says: docs/zh-CN/NAME.md what docs/NAME.md says, README.zh-CN.md what
README.md beside it says. Words cannot be compared. Headings, points, tables, commands, names in code, numbers and links
are, section by section. The last line of a Chinese page tells which English text it says: if that changes, both do."""
import hashlib
import re
import unittest
from collections import Counter
from pathlib import Path

import links_test

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "zh-CN"
BESIDE = (page for folder in ("", "examples/", "examples/*/", "python/", "src/policy/*/")
          for page in sorted(ROOT.glob(folder + "README.zh-CN.md")))
PAIRS = {**{page.with_name("README.md"): page for page in BESIDE},
         **{ROOT / "docs" / page.relative_to(FOLDER): page for page in sorted(FOLDER.rglob("*.md"))}}
ENGLISH = {chinese: english for english, chinese in PAIRS.items()}
PICTURES = {ROOT / "docs/images/latency.zh-CN.svg": ROOT / "docs/images/latency.svg"}
CODE_BLOCK = re.compile(r"^```.*?\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"\]\(\s*([^)\s]+)\s*\)|(?:src|srcset)=\"([^\"]*)\"")
LANGUAGE_LINK = re.compile(r"^\[(?:English|中文)\]\(([^)]*)\)\n\n", re.M)
NAMED_PAGE = re.compile(r"(?<![\w/.-])(?:docs|src|python|examples)/[\w/.-]*\.md")
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def sections(text):
    """Pairs of a section's heading and its text."""
    text = LANGUAGE_LINK.sub("", text, count=1)
    marked = CODE_BLOCK.sub(lambda block: re.sub("^#", "\0#", block[0], flags=re.M), text)
    parts = re.split(r"^(#+ .*)\n", re.sub(r"^<!--.*-->\n", "", marked, flags=re.M), flags=re.M)
    return [(head, body.replace("\0", "")) for head, body in zip(parts[1::2], parts[2::2], strict=True)]


def last_line(english):
    """The last line of the Chinese page of this text. Where its lines are broken makes no difference."""
    return f"<!-- translated: {hashlib.sha256(' '.join(english.split()).encode()).hexdigest()[:8]} -->"


def commands(body):
    """The lines of all blocks, with the numbers in their comments, of which the words may be translated."""
    lines = [line for block in CODE_BLOCK.findall(body) for line in block.splitlines()]
    parts = [re.fullmatch(r"(.*?)(?:(?:^|\s+)#(.*))?", line).groups("") for line in lines]
    return [" ".join([code, *NUMBER.findall(comment)]) for code, comment in parts]


def prose(body):
    """The text without blocks of code, links' targets and comments of HTML."""
    return re.sub(r"\]\([^)]*\)|<!--.*?-->", "]", CODE_BLOCK.sub("", body))


def names(text):
    return sorted({re.sub(r"\s+", " ", name) for name in re.findall(r"`([^`]+)`", text)})


def numbers(text):
    """Numbers in digits, outside of code. Those written as words count in neither language."""
    return sorted(NUMBER.findall(re.sub(r"`[^`]*`", "", text)))


def cells(body):
    """The numbers and names of each cell of the tables."""
    rows = re.findall(r"^\|(.*)\|$", prose(body), re.M)
    return [[(numbers(cell), names(cell)) for cell in re.split(r"(?<!\\)\|", row)] for row in rows]


def targets(body, page):
    """Where the section's links lead: the English page, and which of its headings. Other files are themselves."""
    found = set()
    for link, picture in LINK.findall(links_test.without_code(body)):
        name, _, heading = (link or picture).partition("#")
        if re.match(r"\w+:", name):
            found.add(name + "#" + heading)
            continue
        there = (page.parent / name).resolve() if name else page
        number = links_test.anchors(there).index(heading) if heading else None
        there = PICTURES.get(there, ENGLISH.get(there, there))
        found.add((there.relative_to(ROOT).as_posix(), number))
    return found


def english_pages_named(text):
    """English pages with a Chinese one that the text names without a link, in prose or in comments of commands."""
    comments = [line.partition("#")[2] for block in CODE_BLOCK.findall(text) for line in block.splitlines()]
    words = re.sub(r"\[[^]]*\]\([^)]*\)", "", CODE_BLOCK.sub("", text))
    return [name for name in NAMED_PAGE.findall("\n".join([words, *comments])) if ROOT / name in PAIRS]


def points(body):
    text = CODE_BLOCK.sub("```\n", body)
    points_of_lists = re.findall(r"^ *(?:[-*]|\d+\.) ", text, re.M)
    paragraphs = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    return [f"{len(points_of_lists)} points", f"{len(paragraphs)} paragraphs"]


def unlike(ours, others):
    """Returns in words how two lists or sets differ, or None."""
    if ours == others:
        return None
    one, other = Counter(map(str, ours)), Counter(map(str, others))
    return f"in English alone {[*(one - other).elements()]}, in Chinese alone {[*(other - one).elements()]}"


def differences(english, chinese, english_page, chinese_page):
    """Sentences on where a Chinese page differs from its English page."""
    ours, others = sections(english), sections(chinese)
    levels = [[re.match("#+", head)[0] for head, _ in found] for found in (ours, others)]
    if levels[0] != levels[1]:
        return [f"headings: {unlike(*levels)}: all of them are {levels[1]}"]
    found = []
    for (head, one), (_, other) in zip(ours, others, strict=True):
        for what, ask in (("commands", commands), ("points and paragraphs", points), ("tables", cells),
                          ("names in code", lambda body: names(prose(body))),
                          ("numbers", lambda body: numbers(prose(body)))):
            if differ := unlike(ask(one), ask(other)):
                found.append(f"{head}: {what}: {differ}")
        if differ := unlike(targets(one, english_page), targets(other, chinese_page)):
            found.append(f"{head}: links lead to: {differ}")
    return found


class Languages(unittest.TestCase):
    def test_every_chinese_page_says_what_its_english_page_says(self):
        self.assertGreater(len(PAIRS), 1)
        found = []
        for english, chinese in PAIRS.items():
            self.assertTrue(english.exists(), f"{chinese.relative_to(ROOT)} has no English page")
            found += [f"{chinese.relative_to(ROOT)}: {one}" for one in
                      differences(english.read_text(), chinese.read_text(), english, chinese)]
        self.assertEqual(found, [], "\nChange the Chinese page as its English page was changed:\n" + "\n".join(found))

    def test_no_english_page_has_changed_alone(self):
        found = []
        for english, chinese in PAIRS.items():
            wanted = last_line(english.read_text())
            if chinese.read_text().splitlines()[-1] != wanted:
                found.append(f"{english.relative_to(ROOT)} has changed: bring the change to "
                             f"{chinese.relative_to(ROOT)}, and end that with {wanted}")
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_each_page_leads_to_the_other_language(self):
        for one, other in [*PAIRS.items(), *ENGLISH.items()]:
            link = LANGUAGE_LINK.search(one.read_text())
            self.assertIsNotNone(link, one)
            self.assertEqual((one.parent / link[1]).resolve(), other)

    def test_links_of_chinese_pages_stay_in_chinese(self):
        found = []
        for page in ENGLISH:
            text = LANGUAGE_LINK.sub("", page.read_text(), count=1)
            for link, _ in LINK.findall(links_test.without_code(text)):
                there = (page.parent / link.partition("#")[0]).resolve()
                if there in PAIRS and not link.startswith("#"):
                    found.append(f"{page.relative_to(ROOT)}: {link}")
        self.assertEqual(found, [])

    def test_chinese_pages_name_chinese_pages(self):
        self.assertEqual([f"{page.relative_to(ROOT)}: {name}" for page in ENGLISH
                          for name in english_pages_named(page.read_text())], [], "these have Chinese pages")


class Changes(unittest.TestCase):
    """A change of the English page alone is found."""
    PAGE = ROOT / "docs" / "page.md"
    ENGLISH = ("# Title\n\nSome `word` for 5 ms.\n\n- a point\n\n## More\n\n```\nrun -x   # says 9\n```\n\n"
               "| a | b |\n|---|---|\n| 1 | 2 ([x](USING.md)) |\n")
    CHINESE = ENGLISH.replace("says 9", "说 9").replace("Some `word` for", "某个 `word`，").replace("Title", "标题")

    def differences(self, english):
        return differences(english, self.CHINESE, self.PAGE, self.PAGE)

    def test_a_translation_has_none(self):
        self.assertEqual(self.differences(self.ENGLISH), [])

    def test_other_words_give_another_last_line_and_other_line_breaks_do_not(self):
        self.assertNotEqual(last_line("one\ntwo\n"), last_line("one\nthree\n"))
        self.assertEqual(last_line("one\ntwo\n"), last_line("one two\n"))

    def test_an_english_page_that_is_named_is_found(self):
        for text in ("见 docs/USING.md。", "```\nxcli config   # 见 docs/USING.md\n```\n"):
            self.assertEqual(english_pages_named(text), ["docs/USING.md"])
            self.assertEqual(english_pages_named(text.replace("docs/", "")), [])

    def test_each_kind_of_change_is_found(self):
        for old, new in (("5 ms", "6 ms"), ("`word`", "`name`"), ("- a point", "- a point\n- another"),
                         ("run -x", "run -y"), ("says 9", "says 8"), ("| 1 |", "| 3 |"), ("(USING.md)", "(LIMITS.md)"),
                         ("## More", "### More"), ("\n## More", "\nA paragraph.\n\n## More"), ("| 1 | 2", "| 2 | 1")):
            self.assertIn(old, self.ENGLISH)
            self.assertNotEqual(self.differences(self.ENGLISH.replace(old, new)), [], new)


if __name__ == "__main__":
    unittest.main()
