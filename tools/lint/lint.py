"""The common part of the checks in this folder: which files there are, code without comments, and the command line.

Each check is a module with
    check(root, arguments) -> list of problems, each "path:line: sentence with what to do"
    BAD: {path: text} of a small tree that must be found at fault, and GOOD: one that must not
and run.py runs it. `--self-test` shows that the check goes red on every file of BAD alone.
"""
import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED_FOLDERS = {".git", "build", "output", "__pycache__", ".cache", "results", "xsched.egg-info"}
CODE = {".cpp", ".h", ".c", ".def", ".hpp", ".inc"}
TEXT = CODE | {".py", ".sh", ".cmake", ".txt", ".md", ".json", ".map", ".in", ".yml", ".supp", ""}


def files(root, suffixes, folders=None):
    """Paths relative to `root`, sorted, with one of `suffixes`, below one of `folders` (default: everywhere)."""
    found = []
    for here, below, names in os.walk(root):
        below[:] = [name for name in below if name not in SKIPPED_FOLDERS]
        for name in names:
            path = (Path(here) / name).relative_to(root)
            if name in SKIPPED_FOLDERS:  # a linked worktree's .git is a file
                continue
            if path.suffix in suffixes and (folders is None or path.parts[0] in folders):
                found.append(path)
    return sorted(found)


def read(root, path):
    try:
        return (Path(root) / path).read_text()
    except UnicodeDecodeError:
        return ""


def strip_comments_and_strings(text):
    """The same lines with comments blanked out and string and character literals emptied."""
    def blank(match):
        token = match.group(0)
        if token.startswith(("//", "/*")):
            return "\n" * token.count("\n")
        return token[0] + "\n" * token.count("\n") + token[0]
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'', blank, text,
                  flags=re.S)


def numbered_lines(text):
    return enumerate(text.splitlines(), start=1)


def _write(root, tree):
    for path, text in tree.items():
        target = Path(root) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def self_test(check, good, bad, arguments):
    wrong = []
    with tempfile.TemporaryDirectory() as root:
        _write(root, good)
        wrong += [f"found fault with a good file: {problem}" for problem in check(Path(root), arguments)]
    for path, text in bad.items():
        with tempfile.TemporaryDirectory() as root:
            _write(root, {**good, path: text})
            if not any(str(problem).startswith(path) for problem in check(Path(root), arguments)):
                wrong.append(f"did not see what is wrong with {path}:\n{text}")
    return wrong


def main(check, good, bad, add_arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--self-test", action="store_true")
    if add_arguments:
        add_arguments(parser)
    arguments = parser.parse_args()
    if arguments.self_test:
        problems = self_test(check, good, bad, arguments)
    else:
        problems = check(arguments.root, arguments)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
