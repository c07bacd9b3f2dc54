#!/usr/bin/python3
"""How many named numbers the rooms have that decide and preempt. Each is a chosen number, or a name for one: a new one
takes the place of another, follows from others (a function, an array's size, a device's costs) or shares one
(sched/facts/times.h). A new room brings its own (sched/memory: seven); otherwise the number can only fall."""
import re

import lint

FOLDERS = ("src/sched", "src/queue", "src/dispatch")
MOST = 203
TYPE = r"(?:u?int\d*(?:_t)?|unsigned|s?size_t|double|float|auto|char|bool|Xq\w+)"
NUMBER = re.compile(rf"\b(?:constexpr|const)\s+(?:static\s+)?{TYPE}\s+(k[A-Z]\w*)\s*(?:=|\{{)")


def check(root, _):
    found = []
    for path in lint.files(root, {".cpp", ".h"}, {"src"}):
        if not str(path).startswith(FOLDERS):
            continue
        code = lint.strip_comments_and_strings(lint.read(root, path))
        found += [f"{path}:{line}" for line, text in lint.numbered_lines(code) for _ in NUMBER.findall(text)]
    if len(found) > MOST:
        return [f"{found[-1]}: {len(found)} named numbers in {', '.join(FOLDERS)}, at most {MOST}: let one follow from "
                "another, or take the place of one"]
    if len(found) < MOST and (root / "tools/lint/named_constants.py").exists():
        return [f"tools/lint/named_constants.py: only {len(found)} named numbers: lower MOST to that"]
    return []


GOOD = {
    "src/sched/a.h": "const int64_t now_ns = 1;\nconstexpr Row kRows[] = {{1}};\n// constexpr int kOld = 1;\n",
    "src/base/a.h": "constexpr int64_t kFreeNs = 7;\n" * (MOST + 1),
}
BAD = {
    "src/queue/many.h": "    static constexpr uint32_t kMany = 5;\n" * (MOST + 1),
    "src/dispatch/many.cpp": "const size_t kMany{5};\n" * (MOST + 1),
}

if __name__ == "__main__":
    lint.main(check, GOOD, BAD)
