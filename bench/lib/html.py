"""The suite's results as one HTML file that needs nothing else: made from the JSON files alone, so that results of
several runs, or of another machine, become one report."""
import json
from html import escape
from pathlib import Path

from . import page as frame
from . import plots

STYLE = frame.STYLE


def load(folder):
    """[result] of every question, in the order of the suite."""
    from questions import ALL
    found = []
    for path in Path(folder).glob("bench_*.json"):
        try:
            result = json.loads(path.read_text())
        except ValueError:
            continue
        if "question" in result.get("metrics", {}):
            found.append(result)
    order = [f"bench_{name}" for name in ALL]

    def place(result):
        known = [i for i, name in enumerate(order) if result["test_id"].startswith(name)]
        return (known[0] if known else len(order), result["test_id"])
    return sorted(found, key=place)


def anchor(result):
    return escape(result["test_id"], quote=True)


def table(entry):
    return frame.table(entry["caption"], entry["rows"])


def targets(entries):
    if not entries:
        return ""
    met = sum(entry["met"] for entry in entries)
    rows = [["target", "measured", "asked", ""]]
    for entry in entries:
        unit = entry["asked"].split()[1].lstrip("-0123456789.e") if " " in entry["asked"] else ""
        measured = "not measured" if entry["measured"] is None else f"{entry['measured']:.2f}{unit}"
        word = "-" if entry["measured"] is None else "met" if entry["met"] else "missed"
        rows.append([entry["what"], measured, entry["asked"], word])
    text = table({"caption": "", "rows": rows}).replace("<td>met</td>", '<td class="met">met</td>')
    text = text.replace("<td>missed</td>", '<td class="missed">missed</td>')
    return f"<details{'' if met == len(entries) else ' open'}><summary>Targets: {met} of {len(entries)} met</summary>" \
           f"{text}</details>"


def badge(result):
    """A missed target is another thing than a run that failed; a disturbed run is neither good nor bad: grey."""
    word = escape(result["verdict"])
    if word == "failed" and not result["metrics"].get("failures"):
        return '<span class="status missed">targets missed</span>'
    return f'<span class="status {word}">{word}</span>'


def section(result):
    metrics = result["metrics"]
    figures = "".join(plots.figure(plot) for plot in metrics["plots"])
    failures = "".join(f"<pre>{escape(sentence)}</pre>" for sentence in metrics.get("failures", []))
    return f"""<section id="{anchor(result)}">
<h2>{escape(result["test_name"])} {badge(result)}</h2>
<p class="question">{escape(metrics["question"])}</p>
{"".join(f"<p>{escape(sentence)}</p>" for sentence in metrics["answer"])}
{frame.tiles(metrics.get("headline", []))}
{"".join(f'<p class="warning">{escape(sentence)}</p>' for sentence in metrics.get("doubts", []))}
<div class="figures">{figures}</div>
{"".join(table(entry) for entry in metrics["tables"] if len(entry["rows"]) > 1)}
{targets(metrics["targets"])}
{f"<details><summary>Failed runs</summary>{failures}</details>" if failures else ""}
<p class="notes">{escape(result["notes"])}. {escape(result["hardware"])}; driver {escape(result["driver_version"])};
XSched {escape(result["xsched_version"])}; {escape(result["date"])}.</p>
</section>"""


def not_measured(folder):
    """Returns the last run's warnings, and the things that are missing here."""
    try:
        found = json.loads((Path(folder) / "not_measured.json").read_text())
    except (OSError, ValueError):
        return "", ""
    notes = "".join(f'<p class="warning">{escape(text)}</p>' for text in found if text.startswith("Note"))
    words = "".join(f"<li>{escape(text)}</li>" for text in found if not text.startswith("Note"))
    return notes, f'<section id="absent"><h2>Not measured</h2><ul>{words}</ul></section>' if words else ""


def verdict(results):
    """The page's headline is the first answer: the main job's, if it was asked."""
    for result in results:
        for answer in result["metrics"]["answer"][:1]:
            disturbed = result["metrics"].get("doubts")
            return f"Disturbed, so no verdict. As it was measured: {answer}" if disturbed else answer
    return ""


def page(results, warnings="", absent=""):
    first = results[0] if results else None
    where = f"{first['hardware']}; driver {first['driver_version']}; XSched {first['xsched_version']}; " \
            f"{first['date'][:10]}" if first else "no results yet"
    links = [(result["test_id"], result["test_name"]) for result in results]
    return frame.page("XSched: measurements", verdict(results), where, links,
                      f'{warnings}{"".join(section(result) for result in results)}{absent}')


def write(folder):
    """report.html out of what lies in the folder; returns its path."""
    path = Path(folder) / "report.html"
    path.write_text(page(load(folder), *not_measured(folder)))
    return path
