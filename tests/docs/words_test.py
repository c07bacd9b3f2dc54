#!/usr/bin/env python3
"""Sentences of the pages that people read begin with what they are about: not with Who, Whoever, Nobody or "One that",
and with What only if they ask."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# docs/decisions, docs/published.md and docs/coverage are records, or made by scripts.
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.md"), *ROOT.glob("python/*.md"),
                *ROOT.glob("src/policy/*/*.md")])
BEGIN = re.compile(r"(?:Who|Whoever|Whom|Whose|What|Nobody|One that)\b")


def sentences(text):
    """Of paragraphs and list items: headings, tables and code have none."""
    text = re.sub(r"^[#|<].*$", "", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), flags=re.M)
    for paragraph in re.split(r"\n\s*\n|^\s*(?:[-*]|\d+\.) ", text, flags=re.M):
        for sentence in re.split(r"(?<=[.!?:])[*)\"]*\s+", " ".join(paragraph.split())):
            yield sentence.lstrip("*\"(")


def faults(text):
    return [sentence for sentence in sentences(text) if BEGIN.match(sentence) and not sentence.endswith("?")]


class Words(unittest.TestCase):
    def test_no_sentence_begins_with_a_riddle(self):
        self.assertGreater(len(PAGES), 30)
        found = [f"{page.relative_to(ROOT)}: {fault[:90]}" for page in PAGES for fault in faults(page.read_text())]
        self.assertEqual(found, [], "begin with the noun that the sentence is about")

    def test_the_check_sees_them(self):
        bad = "Good. Who waits gets\na turn.\n\n- **What is left** goes.\n1. Nobody waits: One that does.\n"
        self.assertEqual(len(faults(bad)), 4)
        good = "# What holds\n\nWhat is it?\n\n| Who | x |\n\n```\nWho\n```\nThe unit, whoever it is.\n"
        self.assertEqual(faults(good), [])


if __name__ == "__main__":
    unittest.main()
