"""Tests become another user through tests/support/users.h alone: then this user reaches the build's programs, or the
test is skipped and says why. And each GoogleTest program has the main() that sees to it."""
import re

import lint

HELPER = "tests/support/users.h"
BECOMES = re.compile(r"\b(?:set(?:res|re|e|fs)?uid\s*\(|setgroups\s*\()|/setpriv\b")
FOREIGN_MAIN = re.compile(r"\bgtest_main\b|\bGTest::Main\b")


def check(root, _):
    problems = []
    for path in lint.files(root, lint.CODE | {".txt", ".cmake"}, {"tests", "cmake"}):
        for number, line in lint.numbered_lines(lint.read(root, path)):
            if path.suffix in lint.CODE and str(path) != HELPER and BECOMES.search(line):
                problems.append(f"{path}:{number}: become another user with {HELPER}: it opens folders closed to them")
            if path.suffix not in lint.CODE and FOREIGN_MAIN.search(line):
                problems.append(f"{path}:{number}: link googletest_main (tests/support/main.cpp) instead")
    return problems


GOOD = {
    HELPER: "inline bool become(uid_t uid) { return setresuid(uid, uid, uid) == 0; }\n",
    "tests/cli/a_test.cpp": "int status = as_nobody([] { return 0; });\n",
    "cmake/a.cmake": "target_link_libraries(a PRIVATE googletest_main)\n",
}
BAD = {
    "tests/cli/b_test.cpp": "if (setuid(65534) != 0) return 1;\n",
    "tests/cli/c_test.cpp": "Process(\"/usr/bin/setpriv\", \"--reuid=65534\");\n",
    "tests/cli/CMakeLists.txt": "target_link_libraries(a PRIVATE GTest::gtest_main)\n",
}
