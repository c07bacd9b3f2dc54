"""The test plan's results as a page: what passed first, then each test with all that it measured."""
import json
import os
from html import escape
from pathlib import Path

from . import page, report

MOST_NUMBERS = 60   # of one test in the page; its JSON file has all
LONGEST = 160       # of one value
STATUSES = ("passed", "failed", "skipped")


def headline(rows):
    """`rows`: (test, name, status, seconds, what was measured). A sentence."""
    count = {status: sum(row[2] == status for row in rows) for status in STATUSES}
    said = f"{count['passed']} of {len(rows)} tests passed"
    for status in STATUSES[1:]:
        names = ", ".join(row[0] for row in rows if row[2] == status)
        said += f", {count[status]} {status} ({names})" if names else ""
    return said + "."


def short(value):
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= LONGEST else text[:LONGEST - 1] + "…"


def flat(value, name=""):
    """[(name, text)] of nested metrics. Numbers of rounds become n, median and spread."""
    if isinstance(value, dict):
        return [row for key, inner in value.items() for row in flat(inner, f"{name}, {key}" if name else str(key))]
    if isinstance(value, list) and value and all(isinstance(each, (int, float)) for each in value):
        middle = report.percentile(value, 50)
        return [(name, f"n {len(value)}, median {short(middle)}, {short(min(value))} .. {short(max(value))}")]
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        return [row for i, each in enumerate(value, 1) for row in flat(each, f"{name} {i}")]
    return [(name, short(value))]


def section(row, result):
    identity, name, status, seconds, says = row
    numbers = flat(result["metrics"])
    more = f"<p>{len(numbers) - MOST_NUMBERS} more are in its JSON file.</p>" if len(numbers) > MOST_NUMBERS else ""
    table = page.table("What was measured", [["", "value"], *map(list, numbers[:MOST_NUMBERS])], (1,))
    return f'''<section id="test-{escape(identity, quote=True)}">
<h2>{escape(identity)} {escape(name)} <span class="status {escape(status)}">{escape(status)}</span></h2>
<p>{escape(says)}</p><details><summary>All numbers</summary>{table}{more}</details>
<p class="notes">{escape(result["notes"])}. {escape(seconds)} s.</p></section>'''


def write(folder, rows, backend):
    """acceptance.html; returns its path."""
    results = [json.loads((Path(folder) / f"acceptance_{row[0]}.json").read_text()) for row in rows]
    summary = page.table("All tests", [["test", "", "status", "s", "what was measured"], *map(list, rows)], (1, 4))
    for status, kind in (("passed", "met"), ("failed", "missed")):
        summary = summary.replace(f"<td>{status}</td>", f'<td class="{kind}">{status}</td>')
    where = f"{backend.device}; driver {backend.driver}; {os.cpu_count()} CPUs, {report.cpu_model()}; " \
            f"XSched {report.version()}; {results[0]['date'][:10] if results else ''}"
    body = f'<section id="all"><h2>Summary</h2>{summary}</section>' + \
        "".join(section(row, result) for row, result in zip(rows, results))
    path = Path(folder) / "acceptance.html"
    path.write_text(page.page("XSched: the test plan", headline(rows), where,
                              [(f"test-{row[0]}", row[0]) for row in rows], body))
    return path
