#!/usr/bin/python3
"""Subjects of commits: at most 72 columns, of every commit since this check was added. `git log --oneline` and mail
cut longer ones. Skipped where the history is not here."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import lint

MOST_COLUMNS = 72
SKIPPED = 77


def git(root, *words):
    done = subprocess.run(["git", "-C", root, *words], text=True, capture_output=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else None


def subjects(root):
    """Pairs of a commit and its subject; None: not to be had."""
    begin = git(root, "log", "--diff-filter=A", "--format=%H", "--", "tools/lint/commit_subjects.py")
    if not begin:
        return None
    lines = git(root, "log", "--no-merges", "--format=%h %s", f"{begin[-1]}..HEAD")
    return [line.split(" ", 1) for line in lines or []]


def too_long(pairs):
    return [f"commit {commit}: its subject has {len(subject)} columns, at most {MOST_COLUMNS}: \"{subject}\""
            for commit, subject in pairs if len(subject) > MOST_COLUMNS]


def self_test(folder):
    """On a repository of three commits, the first of which adds this check."""
    checked = Path(folder) / "tools" / "lint" / "commit_subjects.py"
    checked.parent.mkdir(parents=True)
    git(folder, "init", "-q")
    for number, subject in enumerate(("a" * 99, "b" * MOST_COLUMNS, "c" * (MOST_COLUMNS + 1))):
        checked.write_text(str(number))
        git(folder, "add", ".")
        git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", subject)
    problems = too_long(subjects(folder))
    return [] if len(problems) == 1 and "cccc" in problems[0] else [f"found of three subjects: {problems}"]


def main():
    if shutil.which("git") is None:
        print("skipped: there is no git here")
        sys.exit(SKIPPED)
    if "--self-test" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            problems = self_test(folder)
    else:
        pairs = subjects(sys.argv[sys.argv.index("--root") + 1] if "--root" in sys.argv else lint.ROOT)
        if pairs is None:
            print("skipped: the history since this check was added is not here")
            sys.exit(SKIPPED)
        problems = too_long(pairs)
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
