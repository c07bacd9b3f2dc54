"""Plots as inline SVG, by hand: no library, no script, nothing fetched.

A plot is a dictionary: kind, title, and by kind
  cdf       x (label), series [{name, peer, points [[value, percent]]}]; x is logarithmic
  lines     x, y, log (["x", "y"]: which axes), series [{name, peer, points [[x, y]], dashed}]
  bars      x, y, groups [name], series [{name, peer, values [number or None], spread [[low, high] or None]}],
            log (["y"]: from 1 up and down, for what is told in times)
  timeline  lanes [{name, peer, bursts [[begin, end]], done [when], ns}]: both programs of a piece of a run; instead of
            `done`: works [[begin, end]] and held [[begin, end]] of the other program
`peer` decides the colour (the class c-PEER, or one of the spare ones)."""
import math
from html import escape

WIDTH, HEIGHT = 520, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 14, 44
KNOWN = ("alone", "native", "mps", "mps_priority", "mps_shares", "mps_outside", "stream_priorities",
         "static_timeslices", "xsched", "xsched_l1", "xsched_l2", "xsched_l3", "xsched_announced", "xsched_unforeseen",
         "xsched_mps", "xsched_pool", "xsched_pool_inside", "xsched_streams")
SPARE_COLORS = 6
LANE, LANE_GAP, LANE_LABEL = 22, 20, 150
TIMELINE_WIDTH = 1080
TIMELINE_RIGHT = 26
SHOWN_NS = 100_000_000  # of a timeline


def color_class(peer):
    return f"c-{peer}" if peer in KNOWN else f"c-spare{sum(peer.encode()) % SPARE_COLORS}"


def number(value):
    """Short, for an axis."""
    if value == 0:
        return "0"
    if abs(value) >= 1:
        if abs(value) >= 10 or value == int(value):
            return f"{value:,.0f}"
        return f"{value:.2f}".rstrip("0")
    digits = max(1 - math.floor(math.log10(abs(value))), 2)
    return f"{value:.{digits}f}".rstrip("0")


class Axis:
    """Values to pixels, and where its lines are."""

    def __init__(self, values, begin, end, log=False, from_zero=False):
        values = [value for value in values if value is not None and (value > 0 or not log)] or [1]
        low, high = min(values), max(values)
        self.begin, self.end, self.log = begin, end, log
        if log:
            low, high = math.log10(low), math.log10(high)
            margin = max((high - low) * 0.04, 0.03)
            self.low, self.high = low - margin, high + margin
            self.ticks = log_ticks(self.low, self.high)
        else:
            low = min(low, 0) if from_zero else low
            high = max(high, 0) if from_zero else high
            step = nice_step(max(high - low, abs(high) * 0.1, 1e-9))
            self.low, self.high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
            if self.high <= self.low:
                self.high = self.low + step
            self.ticks = [self.low + i * step for i in range(round((self.high - self.low) / step) + 1)]

    def at(self, value):
        position = math.log10(max(value, 1e-12)) if self.log else value
        position = min(max(position, self.low), self.high)
        return round(self.begin + (position - self.low) / (self.high - self.low) * (self.end - self.begin), 1)


def nice_step(span):
    raw = span / 5
    power = 10 ** math.floor(math.log10(raw))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= raw * 0.999)


def log_ticks(low, high):
    """All of 1, 2, 5 x 10^n in between, or fewer if they are many; evenly spaced ones where the range is narrow."""
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10.0 ** power for power in range(math.floor(low), math.ceil(high) + 1) for step in steps]
        ticks = [tick for tick in ticks if low <= math.log10(tick) <= high]
        if len(ticks) < 3:
            step = nice_step(10 ** high - 10 ** low)
            return [i * step for i in range(math.ceil(10 ** low / step), math.floor(10 ** high / step) + 1)]
        if len(ticks) <= 9:
            return ticks
    return ticks[::math.ceil(len(ticks) / 8)]


def svg(width, height, parts, title):
    return (f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title, quote=True)}">'
            + "".join(parts) + "</svg>")


def frame(x, y, x_label, y_label, x_texts=None):
    """Grid, axes and their labels."""
    parts = []
    for tick in y.ticks:
        at = y.at(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}"/>'
                     f'<text class="tick" x="{LEFT - 6}" y="{at + 3.5}" text-anchor="end">{number(tick)}</text>')
    for tick in x.ticks if x else []:
        at = x.at(tick)
        parts.append(f'<line class="grid" x1="{at}" x2="{at}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
    for at, text in x_texts or [(x.at(tick), number(tick)) for tick in x.ticks]:
        parts.append(f'<text class="tick" x="{at}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{escape(text)}'
                     "</text>")
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{HEIGHT - BOTTOM}" y2="{HEIGHT - BOTTOM}"/>')
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(f'<text class="label" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">'
                 f'{escape(x_label)}</text>'
                 f'<text class="label" transform="translate(13 {middle}) rotate(-90)" text-anchor="middle">'
                 f'{escape(y_label)}</text>')
    return parts


def path(points, classes, title, dots=False):
    if not points:
        return ""
    line = "M" + "L".join(f"{x} {y}" for x, y in points)
    dashed = "".join(f'<circle class="dot {classes}" cx="{x}" cy="{y}" r="3"/>' for x, y in points) if dots else ""
    return f'<g><title>{escape(title)}</title><path class="line {classes}" d="{line}"/>{dashed}</g>'


def legend(series):
    words = [f'<span class="key"><i class="{color_class(each["peer"])}{" dashed" if each.get("dashed") else ""}"></i>'
             f'{escape(each["name"])}</span>' for each in series]
    return f'<div class="legend">{"".join(words)}</div>'


def in_words(plot):
    """Returns a picture's content in words, for people who do not see it."""
    words = [lane_words(lane) for lane in plot.get("lanes", [])]
    for each in plot.get("series", []):
        values = [f"{group} {number(value)}" for group, value in zip(plot.get("groups", []), each.get("values", []))
                  if value is not None]
        points = each.get("points") or []
        if plot["kind"] == "cdf" and points:
            values = [f"{percent} % at most {number(min(v for v, p in points if p >= percent))}"
                      for percent in (50, 90, 99) if points[-1][1] >= percent]
        elif points:
            values = [f"{number(y)} at {number(x)}" for x, y in (points[0], points[-1])]
        words.append(f"{each['name']}: {', '.join(values)}")
    axes = ", ".join(plot[axis] for axis in ("x", "y") if plot.get(axis))
    return f"{plot['title']}{f' ({axes})' if axes else ''}. {'; '.join(words)}"


def lane_words(lane):
    longest = max((end - begin for begin, end in lane["bursts"]), default=0)
    return f"{lane['name']}: {len(lane['bursts'])} bursts, the longest {longest / 1e6:.3g} ms"


def cdf(plot):
    series = plot["series"]
    x = Axis([point[0] for each in series for point in each["points"]], LEFT, WIDTH - RIGHT, log=True)
    y = Axis([0, 100], HEIGHT - BOTTOM, TOP)
    parts = frame(x, y, plot["x"], "of all bursts, %")
    for each in series:
        parts.append(path([(x.at(value), y.at(percent)) for value, percent in each["points"]],
                          color_class(each["peer"]), each["name"]))
    return svg(WIDTH, HEIGHT, parts, in_words(plot)) + legend(series)


def lines(plot):
    series, log = [each for each in plot["series"] if each["points"]], plot.get("log", [])
    points = [point for each in series for point in each["points"]]
    x = Axis([point[0] for point in points], LEFT, WIDTH - RIGHT, log="x" in log)
    y = Axis([point[1] for point in points], HEIGHT - BOTTOM, TOP, log="y" in log, from_zero="y" not in log)
    parts = frame(x, y, plot["x"], plot["y"])
    for each in series:
        classes = color_class(each["peer"]) + (" dashed" if each.get("dashed") else "")
        parts.append(path([(x.at(a), y.at(b)) for a, b in each["points"]], classes, each["name"], dots=True))
    return svg(WIDTH, HEIGHT, parts, in_words(plot)) + legend(series)


def wrapped(text, width):
    """At most so many characters, for the space under a group of bars."""
    return text if len(text) <= width else text[:max(width - 1, 1)].rstrip() + "…"


def whisker(x, low, high):
    return f'<path class="whisker" d="M{x - 4:.1f} {low}h8M{x:.1f} {low}V{high}M{x - 4:.1f} {high}h8"/>'


def bars(plot):
    series, groups = plot["series"], plot["groups"]
    values = [value for each in series for value in each["values"] if value is not None]
    values += [bound for each in series for pair in each.get("spread", []) if pair for bound in pair]
    log = "y" in plot.get("log", [])
    base = 1 if log else 0
    y = Axis([*values, base], HEIGHT - BOTTOM, TOP, log=log, from_zero=not log)
    room = (WIDTH - LEFT - RIGHT) / max(len(groups), 1)
    width = min(room * 0.8 / max(len(series), 1), 56)
    texts = [(round(LEFT + room * (i + 0.5), 1), wrapped(group, int(room / 5.6))) for i, group in enumerate(groups)]
    parts = frame(None, y, plot.get("x", ""), plot["y"], texts)
    zero = y.at(base)
    # If each group has at most one bar, the bar is drawn in the middle of its group.
    single = all(sum(value is not None for each in series for value in each["values"][i:i + 1]) < 2
                 for i in range(len(groups)))
    for i in range(len(groups)):
        for k, each in enumerate(series):
            value = each["values"][i] if i < len(each["values"]) else None
            if value is None:
                continue
            x = LEFT + room * (i + 0.5) + (-0.5 if single else k - len(series) / 2) * width
            top = min(y.at(value), zero)
            height = max(abs(y.at(value) - zero), 1)
            parts.append(f'<g><title>{escape(each["name"])}, {escape(groups[i])}: {value:g}</title>'
                         f'<rect class="bar {color_class(each["peer"])}" x="{x + 1:.1f}" y="{top}" '
                         f'width="{max(width - 2, 1):.1f}" height="{height:.1f}" rx="2"/></g>')
            bounds = (each.get("spread") or [None] * len(groups))[i]
            if bounds:
                parts.append(whisker(x + width / 2, y.at(bounds[0]), y.at(bounds[1])))
                top = min(top, y.at(bounds[1]))
            if width > 22:
                parts.append(f'<text class="tick" x="{x + width / 2:.1f}" y="{max(top - 4, 11)}" text-anchor="middle">'
                             f'{number(round(value, 2))}</text>')
    if zero != y.begin:
        parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{zero}" y2="{zero}"/>')
    return svg(WIDTH, HEIGHT, parts, in_words(plot)) + (legend(series) if len(series) > 1 else "")


def lane_parts(lane, top, x, shown):
    """High's bursts above, low's completed kernels below."""
    color = color_class(lane["peer"])
    parts = [f'<text class="lane" x="0" y="{top + LANE + 4}">{escape(lane["name"])}</text>',
             f'<text class="tick" x="{LANE_LABEL - 8}" y="{top + 15}" text-anchor="end">high</text>',
             f'<text class="tick" x="{LANE_LABEL - 8}" y="{top + LANE + 19}" text-anchor="end">low</text>']
    for begin, end in lane["bursts"]:
        if begin < shown:
            width = max(x(min(end, shown)) - x(begin), 1.5)
            parts.append(f'<g><title>{(end - begin) / 1e6:.3g} ms</title><rect class="bar {color}" x="{x(begin):.1f}" '
                         f'y="{top}" width="{width:.1f}" height="{LANE}" rx="2"/></g>')
    ticks = "".join(f"M{x(when):.1f} {top + LANE + 4}v{LANE - 4}" for when in lane.get("done", [])
                    if 0 <= when < shown)
    width = TIMELINE_WIDTH - LANE_LABEL - TIMELINE_RIGHT
    below = f'y="{top + LANE + 4}" width="{width}" height="{LANE - 4}"'
    parts.append(f'<rect class="lane-back" x="{LANE_LABEL}" {below}/>' +
                 (f'<path class="done" d="{ticks}"/>' if ticks else ""))
    for kind in ("works", "held"):
        for begin, end in lane.get(kind, []):
            if begin < shown:
                parts.append(f'<g><title>{kind} {(end - begin) / 1e6:.3g} ms</title><rect class="{kind}" '
                             f'x="{x(begin):.1f}" y="{top + LANE + 4}" '
                             f'width="{max(x(min(end, shown)) - x(begin), 0.5):.1f}" height="{LANE - 4}"/></g>')
    return parts


def timeline(plot):
    lanes = plot["lanes"]
    shown = min(SHOWN_NS, max(lane["ns"] for lane in lanes))
    longest = max((end - begin for lane in lanes for begin, end in lane["bursts"]), default=0)
    shown = max(shown, min(longest * 2.2, max(lane["ns"] for lane in lanes)))
    height = len(lanes) * (2 * LANE + LANE_GAP) + 34

    def x(ns):
        return LANE_LABEL + ns / shown * (TIMELINE_WIDTH - LANE_LABEL - TIMELINE_RIGHT)
    step = nice_step(shown / 1e6 * 5 / 8)
    parts = []
    for i in range(int(shown / 1e6 / step) + 1):
        at = round(x(i * step * 1e6), 1)
        parts.append(f'<line class="grid" x1="{at}" x2="{at}" y1="0" y2="{height - 30}"/>'
                     f'<text class="tick" x="{at}" y="{height - 14}" text-anchor="middle">{number(i * step)}</text>')
    parts.append(f'<text class="label" x="{(LANE_LABEL + TIMELINE_WIDTH - TIMELINE_RIGHT) / 2}" y="{height + 4}" '
                 'text-anchor="middle">time, ms</text>')
    for i, lane in enumerate(lanes):
        parts += lane_parts(lane, i * (2 * LANE + LANE_GAP) + 4, x, shown)
    what = "grey: the other one has work; dashed: it is held meanwhile" if "works" in lanes[0] else \
        "each thin line is the end of one kernel of the other"
    return svg(TIMELINE_WIDTH, height + 10, parts, in_words(plot)) + \
        f'<div class="legend">A block is one burst of the urgent program; {what}.</div>'


KINDS = {"cdf": cdf, "lines": lines, "bars": bars, "timeline": timeline}


def figure(plot):
    """HTML; empty if there is nothing to draw."""
    drawn = plot.get("lanes") or [each for each in plot.get("series", []) if each.get("points") or
                                     any(value is not None for value in each.get("values", []))]
    if not drawn:
        return ""
    wide = ' wide" tabindex="0' if plot["kind"] == "timeline" else ""
    return f'<figure class="{plot["kind"]}{wide}"><figcaption>{escape(plot["title"])}</figcaption>' \
           f'{KINDS[plot["kind"]](plot)}</figure>'


def alone(plot, style):
    """The same as a picture file: style and legend are inside. Empty if there is nothing to draw."""
    drawn = figure(plot)
    if not drawn:
        return ""
    begin, end = drawn.index("<svg "), drawn.index("</svg>")
    head, body = drawn[begin:end].split(">", 1)
    width, height = (float(word) for word in head.split('viewBox="')[1].split('"')[0].split()[2:])
    series = plot.get("series", [])
    keys = "".join(f'<g class="{color_class(each["peer"])}"><path class="line" d="M{LEFT} {height + 18 * i + 8}h20"/>'
                   f'<text class="label" x="{LEFT + 28}" y="{height + 18 * i + 12}">{escape(each["name"])}</text></g>'
                   for i, each in enumerate(series))
    tall = height + 18 * len(series) + 8
    head = head.replace(f'viewBox="0 0 {width:g} {height:g}"', f'viewBox="0 0 {width:g} {tall:g}"')
    back = f'<rect width="{width:g}" height="{tall:g}" style="fill: var(--paper)"/>'
    return head.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ') + \
        f">\n<style>\n{style}</style>{back}{body}{keys}</svg>\n"
