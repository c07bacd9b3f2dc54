"""No function of src is longer than a screen: at most 50 lines, its head and its last brace included. clang-format's
indentation tells where functions begin and end."""
import re

import lint

MOST_LINES = 50
NOT_FUNCTIONS = re.compile(r"^(?:namespace|class|struct|union|enum|extern|if|for|while|switch|else|do|try|return|case)"
                           r"\b|^(?:template <.*> )?(?:class|struct|union) ")


def functions(text):
    """(first line, last line, the first line's text) of each function with a body of several lines."""
    lines = text.splitlines()
    for last, line in enumerate(lines):
        match = re.match(r"^( *)\}$", line)
        if not match:
            continue
        indent = match.group(1)
        first = last - 1
        while first >= 0 and not re.match(rf"^{indent}[^ #}}]", lines[first]):
            first -= 1
        head = lines[first].strip() if first >= 0 else ""
        if "(" in head and not head.startswith("//") and not NOT_FUNCTIONS.match(head):
            yield first + 1, last + 1, head


def check(root, _):
    problems = []
    for path in lint.files(root, {".cpp", ".h"}, {"src"}):
        for first, last, head in functions(lint.read(root, path)):
            if last - first + 1 > MOST_LINES:
                problems.append(f"{path}:{first}: a function of {last - first + 1} lines, at most {MOST_LINES}: divide "
                                f"it by what it does ({head})")
    return problems


def function(head, lines):
    return f"{head} {{\n" + "    work();\n" * (lines - 2) + "}\n"


GOOD = {
    "src/base/a.cpp": function("int a()", MOST_LINES) + function("namespace xsched", MOST_LINES + 1),
    "src/base/a.h": "class A {\n    int a() {\n" + "        work();\n" * 40 + "    }\n" + "    int b;\n" * 40 + "};\n",
    "tests/base/a.cpp": function("int a()", MOST_LINES + 1),
}
BAD = {
    "src/base/b.cpp": function("int b()", MOST_LINES + 1),
    "src/base/c.cpp": function("A::A(int c)\n    : c_(c)", MOST_LINES),
    "src/base/b.h": "class B {\n    void b() {\n" + "#if A\n" + "        work();\n" * MOST_LINES + "    }\n};\n",
}
