"""The form of files: headers open with a comment, no file is too long, and nothing is left unfinished. No text names a
place of one developer's machine or a package registry's host."""
import re

import lint

MOST_LINES = 400
HEADERS = {".h", ".hpp", ".def"}
# Paths of one person's machine, which no file may name. The patterns are written in pieces, so that this file does
# not match them itself.
PLACES = re.compile("|".join([
    r"(?<![\w./-])/" + r"(?:work|root|workspace|mnt|Users)/",
    r"(?<![\w./-])/" + r"home/\w",
    r"\b(?:deb|security)\." + r"debian\.org\b",
    r"\bregistry\." + r"npmjs\b|\bpypi\." + r"(?:org|python)\b|\bartifact" + r"ory\b|\bproxy\." + r"golang\b",
]))
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")

# The kernel refuses to show some files of /proc after they were opened, and folders vanish there while they are read.
THROWING = re.compile(r"istreambuf_iterator|for \([^;]* : (?:\w+::)*(?:recursive_)?directory_iterator")


def check(root, _):
    problems = []
    for path in lint.files(root, lint.TEXT):
        text = lint.read(root, path)
        if path.suffix in HEADERS and not text.lstrip().startswith(("//", "/*")):
            problems.append(f"{path}:1: a header opens with a comment: what it is, which threads may call it, "
                            "its words")
        lines = text.count("\n")
        if path.suffix in lint.CODE | {".py", ".sh", ".cmake"} and lines > MOST_LINES:
            problems.append(f"{path}:{lines}: {lines} lines, at most {MOST_LINES}: divide it by what it does")
        for number, line in lint.numbered_lines(text):
            for pattern, why in ((PLACES, "names a place that other machines do not have"),
                                 (UNFINISHED, "marks something unfinished: finish it or leave it out")):
                match = pattern.search(line)
                if match:
                    problems.append(f"{path}:{number}: \"{match.group(0)}\" {why}")
            if path.parts[0] == "src" and THROWING.search(line):
                problems.append(f"{path}:{number}: throws where a file or folder cannot be read: use base/files.h")
    for path in sorted((root / "bench" / "results").rglob("*.json")):  # measurements: they have no other form
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := PLACES.search(line):
                problems.append(f"{path.relative_to(root)}:{number}: \"{match.group(0)}\" names a place that other "
                                "machines do not have")
    return problems


GOOD = {
    "src/base/a.h": "// A thing. Any thread.\n#pragma once\n",
    "include/xsched/a.h": "/* A thing. */\n#ifndef A\n#endif\n",
    "src/base/f.cpp": "for (std::filesystem::directory_iterator at(folder, error), end; at != end;) {}\n",
    "README.md": "see build/work/thing and /usr/lib and /tmp/xsched-1000\n",
}
BAD = {
    "src/base/b.h": "#pragma once\nint x;\n",
    "src/base/b.def": "X(1)\n",
    "src/base/b.cpp": "int x;\n" * (MOST_LINES + 1),
    "scripts/b.sh": "cd /" + "work/main\n",
    "docs/b.md": "run /" + "home/me/app\n",
    "bench/results/a.json": '{"command": "x --out /' + 'root/out"}\n',
    "docs/c.md": "from deb." + "debian.org\n",
    "src/base/c.cpp": "// TO" + "DO: later\n",
    "src/base/d.cpp": "std::string text{std::istreambuf_iterator<char>(file), {}};\n",
    "src/base/e.cpp": "for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {}\n",
}
