"""A chart of latencies for a terminal: a bar for the p50 and one for the p99 of each way."""
import os
import sys

from . import comparison

WIDTH = 40  # columns of the longest bar
GREY, COLOURS = "\033[90m", {"native": "\033[31m", "xsched": "\033[34m"}
END = "\033[0m"


def bar(value, most, marks):
    full, part = marks
    cells = value / most * WIDTH
    return full * int(cells) + (part if cells - int(cells) >= 0.5 or cells < 1 else "")


def marks_of(out):
    return ("█", "▌") if (out.encoding or "").lower().replace("-", "") == "utf8" else ("#", "-")


def colours_wanted(out):
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def chart(ways, is_judged, out=sys.stdout):
    """Returns the lines. `is_judged`: without a verdict all bars are grey, since their lengths say nothing."""
    tail = comparison.tail_of(ways)
    quantiles = [50] + ([tail] if tail not in (None, 50) else [])
    shown = [(way, which, way.at(which)) for which in quantiles for way in ways if way.latency_us]
    if not shown:
        return []
    most = max(value for _, _, value in shown)
    lines, text = [], comparison.text_of(ways)
    for way, which, value in shown:
        colour = (COLOURS.get(way.peer, GREY) if is_judged else GREY) if colours_wanted(out) else ""
        line = bar(value, most, marks_of(out))
        lines.append(f"p{which} {way.name:<9} {colour}{line}{END if colour else ''} {text(value)}")
    return lines
