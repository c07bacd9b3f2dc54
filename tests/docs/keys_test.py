#!/usr/bin/env python3
"""A sentence about JSON names only keys that a command prints: those of src/cli/fields.def. The page on xsim has every
cost that a workload may give its device. Parts are written alike everywhere: 93 %."""
import re
import unittest

from languages_test import CODE_BLOCK, ENGLISH, PAIRS, ROOT

FIELDS = {*re.findall(r"^XSCHED_FIELD\((\w+)", (ROOT / "src/cli/fields.def").read_text(), re.M), "json_version"}
SENTENCE_END = re.compile(r"(?<=[.;])\s+|[。；]|\n\s*\n|\n(?=\s*[-|*] )")
KEY = re.compile(r"`([a-z]+(?:_[a-z0-9]+)+)`")  # of two words or more: names of one word are commands, too
PAGES = {*PAIRS, *ENGLISH, *(ROOT / "docs").glob("*.md")}
OWN_KEYS = {"xsim.md"}  # xsim's answers have their own keys


def unknown_keys(text):
    """The keys that sentences about JSON name and no command prints. A link to a measurement is about none."""
    prose = re.sub(r"\]\([^)]*\)|\[JSON\b", "]", CODE_BLOCK.sub("", text))
    return [key for sentence in SENTENCE_END.split(prose) if "json" in sentence.lower()
            for key in KEY.findall(sentence) if key not in FIELDS]


class Percent(unittest.TestCase):
    def test_a_space_is_before_it(self):
        pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
        sources = [file for kind in ("cpp", "h", "def") for file in (ROOT / "src").rglob(f"*.{kind}")]
        self.assertGreater(min(len(pages), len(sources)), 50)
        for files, glued in ((pages, r"\d%(?!\w)"), (sources, r"%[-+.\d]*l*[dufgs]%%|[\w)]\) \+ \"%")):
            found = [f"{file.relative_to(ROOT)}: {at[0]}" for file in files for at in
                     re.finditer(glued, file.read_text())]
            self.assertEqual(found, [], "write 93 %")


class Keys(unittest.TestCase):
    def test_every_key_is_printed(self):
        found = [f"{page.relative_to(ROOT)}: {key}" for page in sorted(PAGES) if page.name not in OWN_KEYS
                 for key in unknown_keys(page.read_text())]
        self.assertEqual(found, [], "src/cli/fields.def has no such key")

    def test_xsim_page_has_every_cost_of_a_device_and_its_default(self):
        costs = re.findall(r"^XSIM_COST\((\w+), ([\d.]+),", (ROOT / "src/sim/costs.def").read_text(), re.M)
        self.assertEqual(re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", (ROOT / "docs/xsim.md").read_text(), re.M), costs)

    def test_another_key_is_found(self):
        for text in ("`xcli list --json` has `process_caused_ms` with each queue.", "在 JSON 里是 `process_caused_ms`。"):
            self.assertEqual(unknown_keys(text), ["process_caused_ms"])
            self.assertEqual(unknown_keys(text.replace("process_", "")), [])


if __name__ == "__main__":
    unittest.main()
