#!/usr/bin/python3
"""Every test that docs/SECURITY.md names is there: a protection whose test has gone is held by nothing."""
import re

import lint

PAGE = "docs/SECURITY.md"
NAMED = re.compile(r"\b([A-Z]\w+)\.([A-Z]\w+|\*)")
TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.M)


def check(root, _):
    there = {test for path in lint.files(root, {".cpp"}, {"tests"}) for test in TEST.findall(lint.read(root, path))}
    suites = {suite for suite, _ in there}
    problems = []
    for number, line in lint.numbered_lines(lint.read(root, PAGE)):
        for suite, name in NAMED.findall(line):
            if suite not in suites if name == "*" else (suite, name) not in there:
                problems.append(f"{PAGE}:{number}: there is no test {suite}.{name}: name the one that holds this line")
    return problems


GOOD = {
    "tests/server/a_test.cpp": "TEST(Limits, Hold) {}\nTEST_F(Web, Asks) {}\n",
    PAGE: "| who | may not | Limits.Hold, Web.* (tests/server) |\n",
}
BAD = {
    PAGE: "| who | may not | Limits.HoldNoMore |\n",
}

if __name__ == "__main__":
    lint.main(check, GOOD, BAD)
