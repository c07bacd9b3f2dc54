"""Every test that these pages name is there: a protection whose test has gone is held by nothing."""
import re

import lint

PAGE = "docs/SECURITY.md"
IN_QUOTES = "docs/compatibility.md"  # where names of other programs look the same (Boost.Compute)
NAMED = re.compile(r"\b([A-Z]\w+)\.([A-Z]\w+|\*)")
QUOTED = re.compile(r"`([A-Z]\w+)\.([A-Z]\w+|\*)`")
TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.M)


def check(root, _):
    there = {test for path in lint.files(root, {".cpp"}, {"tests"}) for test in TEST.findall(lint.read(root, path))}
    suites = {suite for suite, _ in there}
    problems = []
    for page, pattern in ((PAGE, NAMED), (IN_QUOTES, QUOTED)):
        for number, line in lint.numbered_lines(lint.read(root, page)):
            for suite, name in pattern.findall(line):
                if suite not in suites if name == "*" else (suite, name) not in there:
                    problems.append(
                        f"{page}:{number}: there is no test {suite}.{name}: name the one that holds this line")
    return problems


GOOD = {
    "tests/server/a_test.cpp": "TEST(Limits, Hold) {}\nTEST_F(Web, Asks) {}\n",
    PAGE: "| who | may not | Limits.Hold, Web.* (tests/server) |\n",
    IN_QUOTES: "| Boost.Compute | `Limits.Hold` |\n",
}
BAD = {
    PAGE: "| who | may not | Limits.HoldNoMore |\n",
    IN_QUOTES: "| Boost.Compute | `Limits.HoldNoMore` |\n",
}
