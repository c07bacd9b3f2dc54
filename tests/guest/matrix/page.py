#!/usr/bin/env python3
"""The matrix of programs for docs/compatibility.md, out of its result alone.

  page.py           writes it between the page's two marks
  page.py --check   ends with 1 if the page says something else than the result
"""
import json
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE, RESULT = ROOT / "docs" / "compatibility.md", ROOT / "bench" / "results" / "matrix.json"
BEGIN, END = "<!-- matrix: made by tests/guest/matrix/page.py -->\n", "<!-- end of the matrix -->\n"
WIDTH = 120
WAYS = ("xcli run", "preload", "urgent", "victim", "killed", "interrupted")


def wrapped(text):
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def cell(result):
    return "same" if result["same"] else "**differs**"


def ours_in(entry):
    """Returns XSched's descriptors and threads at the program's end."""
    ours = entry["ways"]["xcli run"].get("ours")
    if ours is None:
        return "not seen"
    return f"{ours['descriptors']}, {len(ours['threads'])}"


def table(entries):
    lines = [f"| program | {' | '.join(WAYS)} | ours at its end |", "|" + "---|" * (len(WAYS) + 2)]
    for entry in entries:
        title = entry["name"] + (f": {entry['says']}" if entry["says"] else "")
        cells = " | ".join(cell(entry["ways"][way]) for way in WAYS)
        lines.append(f"| {title} | {cells} | {ours_in(entry)} |")
    return lines


def differences(entries):
    """A sentence for each way that is not the same; what is natively unsteady is said as well."""
    found = []
    for entry in entries:
        for way, result in entry["ways"].items():
            if not result["same"]:
                found.append(f"- {entry['name']}, {way}: `{'; '.join(result['differs'])[:300].replace('`', '')}`")
        found += [f"- {entry['name']}, a run that was repeated: `{stood}`" for stood in entry.get("repeated", ())]
    return found


def text(document):
    done = [entry for entry in document["programs"] if "ways" in entry]
    left_out = [entry for entry in document["programs"] if "skipped" in entry]
    drivers = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    dates, ours = (sorted({entry[key] for entry in done}) for key in ("when", "xsched"))
    parts = [wrapped(f"{len(done)} programs, {dates[-1][:10]}, {', '.join(ours)}, {document['system']}, Linux "
                     f"{document['kernel']}, {drivers}."), "\n".join(table(done))]
    if odd := differences(done):
        parts.append("Differences:\n\n" + "\n".join(odd))
    if left_out:
        parts.append("Not tried there:\n\n" + "\n".join(f"- {each['name']}: {each['skipped']}" for each in left_out))
    return "\n" + "\n\n".join(parts) + "\n\n"


def page_with(page, made):
    """The page with this between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"the page has no lines {BEGIN.strip()} and {END.strip()}")
    return before + BEGIN + made + END + after


def main():
    page = PAGE.read_text()
    made = page_with(page, text(json.loads(RESULT.read_text())))
    if "--check" in sys.argv[1:]:
        if made != page:
            sys.exit(f"{PAGE} says something else than {RESULT}: run tests/guest/matrix/page.py")
    else:
        PAGE.write_text(made)


if __name__ == "__main__":
    main()
