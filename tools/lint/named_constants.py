"""How many named numbers the rooms have that decide and preempt. Each is a chosen number: a new one takes the place of
another, follows from others (a function, an array's size, a device's costs) or shares one (sched/facts/times.h). A name
whose value has no number of its own, such as another constant, a size or several flags, does not count. A new room
brings its own (sched/memory: seven); otherwise the number can only fall."""
import re

import lint

FOLDERS = ("src/sched", "src/queue", "src/dispatch")
MOST = 130
TYPE = r"(?:u?int\d*(?:_t)?|unsigned|s?size_t|double|float|auto|char|bool|Xq\w+)"
NAMED = re.compile(rf"\b(?:constexpr|const)\s+(?:static\s+)?{TYPE}\s+k[A-Z]\w*\s*(?:=|\{{)\s*(.*)")
FOLLOWS = re.compile(r"(?!base::k\w*[sS]econd\b)[A-Za-z_{]")
NUMBER = re.compile(r"\b[2-9]\b|\b\d[\w'.]+")


def is_chosen(value):
    """Returns whether the value has a number of its own: more than other names, and 0 or 1 beside them."""
    return NUMBER.search(value) is not None or FOLLOWS.match(value) is None


def check(root, _):
    found = []
    for path in lint.files(root, {".cpp", ".h"}, {"src"}):
        if not str(path).startswith(FOLDERS):
            continue
        code = lint.strip_comments_and_strings(lint.read(root, path))
        found += [f"{path}:{line}" for line, text in lint.numbered_lines(code) for value in NAMED.findall(text)
                  if is_chosen(value)]
    if len(found) > MOST:
        return [f"{found[-1]}: {len(found)} named numbers in {', '.join(FOLDERS)}, at most {MOST}: let one follow from "
                "another, or take the place of one"]
    if len(found) < MOST and (root / "tools/lint/named_constants.py").exists():
        return [f"tools/lint/named_constants.py: only {len(found)} named numbers: lower MOST to that"]
    return []


GOOD = {
    "src/sched/a.h": "const int64_t now_ns = 1;\nconstexpr Row kRows[] = {{1}};\n// constexpr int kOld = 1;\n",
    "src/base/a.h": "constexpr int64_t kFreeNs = 7;\n" * (MOST + 1),
    "src/sched/b.h": "constexpr size_t kMost = Waits::kMost + 1;\n" * (MOST + 1),
    "src/queue/b.h": "constexpr XqStopOps kNone = {stop, start};\n" * (MOST + 1),
}
BAD = {
    "src/queue/many.h": "    static constexpr uint32_t kMany = 5;\n" * (MOST + 1),
    "src/dispatch/many.cpp": "const size_t kMany{5};\n" * (MOST + 1),
}
