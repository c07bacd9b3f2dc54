"""The findings about the user's programs (lib/own_findings.py) as a page: HTML or Markdown."""
import os
import statistics
from html import escape
from pathlib import Path

from . import comparison, page, plots, report, spread
from .document import percent
from .own_verdict import quantile_words, verdict_of
LINKS = [("gain", "What is gained"), ("numbers", "Numbers")]


def tiles(ways):
    which = comparison.tail_of(ways)
    if which is None:
        return []
    alone, text = ways[0].at(which), comparison.text_of(ways)
    entries = [{"label": f"Urgent program: {quantile_words(which)} of a burst",
                "values": [[way.name, f"{way.at(which) / alone:.2f} x alone", text(way.at(which))]
                           for way in ways]}]
    kept = [[way.name, "of its rate alone", percent(way.keeps)] for way in ways[1:] if way.keeps is not None]
    if kept:
        entries.append({"label": "The other program keeps", "values": [["alone", "its own rate", percent(1)], *kept]})
    return entries


def wall_rows(found):
    """Returns the times of programs that ended, from start to end: without XSched, observed, under XSched."""
    def seconds(value):
        return f"{value:.2f} s"
    rows = [["", "n", "median", "least .. most", "of without XSched"]]
    for title, values, bare in found.walls:
        base = statistics.median(bare) if bare else None
        rows.append([title, len(values), seconds(statistics.median(values)), spread.rounds_shown(values, seconds),
                     f"{statistics.median(values) / base:.3f} x" if base else "-"])
    return rows


def tables(found):
    """[(caption, rows)]"""
    bursts, (rounds, rows) = comparison.tables(found.ways)
    shown = [bursts, (f"{rounds}. Other keeps: of its rate alone, bursts included", rows)]
    if found.walls:
        shown.append(("Wall time of programs that ended, with start and end", wall_rows(found)))
    return shown


def how(found):
    """How it was measured, as sentences."""
    said = [
        f"{'one round' if found.rounds == 1 else f'{found.rounds} rounds'} of {', '.join(found.measured)} in turns; "
        f"a measurement lasts at most {found.limit:.1f} s from when all of its programs use "
        "a device",
        "alone and natively: XSched's shim is loaded and a private server follows the programs under the policy "
        "OBSERVE, which holds no program",
        "under XSched: the policy HPF, the urgent program with priority 10, the other one with 0",
        "a burst lasts from the first command of an idle program to the completion of its last one, as xserver counts "
        "it; pauses below 0.5 ms are bridged; bursts count that began and ended while all programs worked",
        "the other program's rate is its completed commands per second, in tables and pictures those of all time, the "
        "urgent one's bursts included",
        spread.SAYS,
        *found.notes,
    ]
    return said


def machine():
    return f"{os.cpu_count()} CPUs, {report.cpu_model()}"


def where(found):
    return f"{', '.join(sorted(found.devices)) or 'no device'}; {machine()}; XSched {found.version}; {found.date}"


def sections(ways, shown, doubts, is_judged=True):
    """Returns the gain, and the numbers; also of the demo's programs. Without a verdict the pictures are grey."""
    body = "".join(f'<p class="warning">{escape(text)}</p>' for text in doubts)
    mark = "" if is_judged else ' class="unjudged"'
    body += f'<section id="gain"{mark}><h2>What is gained</h2>{page.tiles(tiles(ways))}<div class="figures">' + \
            "".join(plots.figure(each) for each in comparison.pictures(ways)) + "</div></section>"
    return body + '<section id="numbers"><h2>Numbers</h2>' + \
        "".join(page.table(caption, rows) for caption, rows in shown) + "</section>"


def html(found):
    commands = page.table("The programs", [["", "command"], *map(list, found.commands)], (1,))
    body = sections(found.ways, tables(found), found.doubts)
    body += f'<section id="how"><h2>How it was measured</h2>{commands}<ul>' + \
            "".join(f"<li>{escape(each)}.</li>" for each in how(found)) + "</ul></section>"
    return page.page("What XSched does for these programs", verdict_of(found), where(found),
                     [*LINKS, ("how", "How it was measured")], body)


def markdown_table(caption, rows):
    lines = ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return f"**{caption}**\n\n{lines[0]}\n|{'---|' + '---:|' * (len(rows[0]) - 1)}\n" + "\n".join(lines[1:]) + "\n"


def markdown(found, path):
    """Returns the page as Markdown, and writes its pictures to files beside `path`."""
    style, images = page.STYLE.read_text(), []
    for number, each in enumerate(comparison.pictures(found.ways), 1):
        file = path.with_name(f"{path.stem}-{number}.svg")
        file.write_text(plots.alone(each, style))
        images.append(f"![{each['title']}]({file.name})")
    warnings = "".join(f"> {text}\n\n" for text in found.doubts)
    commands = "".join(f"- {title}: `{words}`\n" for title, words in found.commands)
    return f"# What XSched does for these programs\n\n**{verdict_of(found)}**\n\n{where(found)}\n\n{warnings}" + \
        "\n".join(markdown_table(caption, rows) for caption, rows in tables(found)) + "\n" + "\n\n".join(images) + \
        f"\n\n## How it was measured\n\n{commands}" + "".join(f"- {each}.\n" for each in how(found))


def write(found, path):
    path = Path(path)
    path.write_text(html(found) if path.suffix == ".html" else markdown(found, path))


def text(found):
    """For the terminal."""
    return "\n\n".join([verdict_of(found), *(f"{caption}:\n\n{report.table(rows)}" for caption, rows in tables(found)),
                        *(f"Note: {each}" for each in found.doubts)])

