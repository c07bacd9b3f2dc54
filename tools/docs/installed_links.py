#!/usr/bin/env python3
"""Takes the links out of installed pages that lead to files of the source tree alone.

    tools/docs/installed_links.py FOLDER

FOLDER is the installation's folder of documents, in which every page lies as in the source tree. A link to a file that
is not there becomes its own text, with the file's path in the source tree behind it."""
import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!!)\[([^][]*(?:\[[^]]*\][^][]*)*)\]\(\s*([^)\s]+)\s*\)")
CODE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.M | re.S)


def is_elsewhere(target):
    return re.match(r"\w+:", target) is not None or target.startswith("#")


def in_sources(page, target, folder):
    """Returns the path of a link's target from the root of the source tree."""
    parts = []
    for part in [*page.parent.relative_to(folder).parts, *Path(target.partition("#")[0]).parts]:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


def outside_code(text, change):
    """Returns the text with `change` made where it is not code. A link's text may have code in it."""
    pieces = CODE.split(text)
    marked = "".join(f"\0{at}\0" if at % 2 == 1 else piece for at, piece in enumerate(pieces))
    return re.sub("\0(\\d+)\0", lambda found: pieces[int(found.group(1))], change(marked))


def mended(page, folder):
    """Returns the page's text without dead links."""
    def replace(found):
        label, target = found.groups()
        if is_elsewhere(target) or (page.parent / target.partition("#")[0]).exists():
            return found.group(0)
        path = in_sources(page, target, folder)
        return label if path in label else f"{label} (`{path}`)"

    return outside_code(page.read_text(encoding="utf-8"), lambda text: LINK.sub(replace, text))


def main():
    folder = Path(sys.argv[1]).resolve()
    for page in sorted(folder.rglob("*.md")):
        text = mended(page, folder)
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
