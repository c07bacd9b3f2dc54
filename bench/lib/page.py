"""The frame of every page: HTML that needs nothing else, in dark and light, on a telephone and read aloud."""
from html import escape
from pathlib import Path

STYLE = Path(__file__).resolve().parent / "report.css"


def table(caption, rows, words=()):
    """The first row is the heading, the first cell of each its name. `words`: the columns that are sentences."""
    head = "".join(f'<th scope="col"{kind(at, words)}>{escape(str(cell))}</th>' for at, cell in enumerate(rows[0]))
    body = "".join("<tr>" + cells(row, words) + "</tr>" for row in rows[1:])
    name = escape(caption or "table", quote=True)
    said = f'<p class="caption" aria-hidden="true">{escape(caption)}</p>' if caption else ""
    return f'{said}<div class="table" tabindex="0" role="region" aria-label="{name}"><table aria-label="{name}">' \
           f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def kind(column, words):
    return ' class="words"' if column in words else ""


def cells(row, words):
    found = [f'<th scope="row">{escape(str(row[0]))}</th>']
    for at, cell in enumerate(row[1:], 1):
        found.append(f"<td{kind(at, words)}>{escape(str(cell))}</td>")
    return "".join(found)


def tiles(entries):
    """[{"label", "values": [[name, below, number]]}]"""
    found = []
    for entry in entries:
        values = "".join(f'<div class="value v{i}"><b>{escape(values[-1])}</b><span>{escape(values[0])}</span>'
                         f"<small>{escape(values[1])}</small></div>" for i, values in enumerate(entry["values"]))
        found.append(f'<div class="tile"><h3>{escape(entry["label"])}</h3><div class="values">{values}</div></div>')
    return f'<div class="tiles">{"".join(found)}</div>' if found else ""


def page(title, verdict, where, links, body):
    """`links`: [(anchor, words)]; `body`: HTML."""
    shown = "".join(f'<a href="#{escape(anchor, quote=True)}">{escape(words)}</a>' for anchor, words in links)
    nav = f'<nav aria-label="Parts of this page">{shown}</nav>' if shown else ""
    said = f'<p class="verdict">{escape(verdict)}</p>' if verdict else ""
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>
{STYLE.read_text()}</style></head>
<body><header><h1>{escape(title)}</h1>{said}<p>{escape(where)}</p>{nav}</header>
<main>{body}</main></body></html>
"""
