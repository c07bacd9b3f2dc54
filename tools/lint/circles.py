"""No circles between the files of src/: a .h and its .cpp are one part, and parts include one another in one direction.
Where two need each other, one of them tells the other through an interface that stands in a file of its own."""
import re

import lint

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
FILES = {".cpp", ".h"}


def includes(root):
    """{part: {part it includes: where}}."""
    files = lint.files(root, FILES, {"src"})
    parts = {str(path.relative_to("src")): path.with_suffix("") for path in files}
    found = {}
    for path in files:
        for number, line in lint.numbered_lines(lint.read(root, path)):
            match = INCLUDE.match(line)
            part = match and (parts.get(match[1]) or parts.get(str((path.parent / match[1]).relative_to("src"))))
            if part and part != path.with_suffix(""):
                found.setdefault(path.with_suffix(""), {})[part] = f"{path}:{number}"
    return found


def reachable(edges, begin):
    seen, left = set(), list(edges.get(begin, ()))
    while left:
        part = left.pop()
        if part not in seen:
            seen.add(part)
            left += edges.get(part, ())
    return seen


def check(root, _):
    edges = includes(root)
    reach = {part: reachable(edges, part) for part in edges}
    return [f"{where}: a circle: {to} includes {part} as well, by itself or through others"
            for part, targets in sorted(edges.items()) for to, where in sorted(targets.items())
            if part in reach.get(to, ())]


GOOD = {
    "src/base/a.h": '#include "base/b.h"\n',
    "src/base/a.cpp": '#include "base/a.h"\n#include "base/c.h"\n',
    "src/base/b.h": '#include "base/c.h"\n',
    "src/base/c.h": "\n",
}
BAD = {
    "src/base/b.cpp": '#include "base/a.h"\n',
    "src/base/c.cpp": '#include "base/a.h"\n',
}
