#!/usr/bin/env python3
"""The chart of README.md, out of figures that bench/published_page.py made: how long an urgent program's slowest
requests take alone, on a shared GPU, and there under XSched.

    bench/readme_chart.py                   docs/images/latency.svg, and latency.zh-CN.svg for README.zh-CN.md
    bench/readme_chart.py --to FOLDER       both there"""
import argparse
import json
from html import escape
from pathlib import Path

from lib.document import percent

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "bench" / "results" / "published" / "published.json"
VARIANT = "W1.A"  # of bench/workloads/published: 1,200 requests in each way, in turns, in one run
WAYS = ("alone", "native", "xsched")
# Colours for a light and a dark screen. The card is filled, so that the ink is readable whatever lies behind the
# picture.
LIGHT = {"card": "#ffffff", "rule": "#d0d7de", "ink": "#1f2328", "soft": "#59636e", "alone": "#8593a1",
         "native": "#c4432b", "xsched": "#1f6feb"}
DARK = {"card": "#151b23", "rule": "#3d444d", "ink": "#e6edf3", "soft": "#9da7b3", "alone": "#8593a1",
        "native": "#f0806f", "xsched": "#6aa5ff"}
WORDS = {
    "en": {"title": "Latency of an urgent program: 99 of 100 requests are answered within",
           "alone": "alone on the GPU", "native": "shared with another program", "xsched": "shared, with XSched",
           "unit": "ms", "keeps": "The other program keeps {kept} of the time that is left.",
           "what": "VGG-19, 100 requests a second, beside ResNet-152 without a pause. {device}, driver {driver}."},
    "zh-CN": {"title": "紧急程序的延迟：100 个请求中有 99 个在此时间内得到响应",
              "alone": "独占 GPU", "native": "与另一个程序共享", "xsched": "共享，使用 XSched",
              "unit": "毫秒", "keeps": "另一个程序保留剩余时间的 {kept}。",
              "what": "VGG-19，每秒 100 个请求，与不停运行的 ResNet-152 并行。{device}，驱动 {driver}。"}}
FILES = {"en": "latency.svg", "zh-CN": "latency.zh-CN.svg"}
WIDTH, HEIGHT, LEFT, LABELS, LONGEST = 720, 236, 24, 232, 345
FIRST_BAR, BAR, STEP = 62, 30, 42


def measured():
    return next(one for one in json.loads(FIGURES.read_text()) if one["id"] == VARIANT)


def milliseconds(one, way):
    return one["latency_us"][way]["p99"] / 1000


def style():
    def rules(colors):
        return "".join([f".card {{ fill: {colors['card']}; stroke: {colors['rule']}; }}",
                        *(f" .{name} {{ fill: {colors[name]}; }}" for name in ("ink", "soft", *WAYS))])
    return ("<style>text { font-family: system-ui, \"Segoe UI\", \"DejaVu Sans\", sans-serif; } " + rules(LIGHT) +
            "\n@media (prefers-color-scheme: dark) { " + rules(DARK) + " }</style>")


def bar(one, way, words, top, scale):
    value = milliseconds(one, way)
    length = value * scale
    return [f'<text class="ink" x="{LEFT}" y="{top + 20}" font-size="14">{escape(words[way])}</text>',
            f'<rect class="{way}" x="{LEFT + LABELS}" y="{top}" width="{length:.1f}" height="{BAR}" rx="3"/>',
            f'<text class="ink" x="{LEFT + LABELS + length + 10:.1f}" y="{top + 20}" font-size="15" '
            f'font-weight="600">{value:.2f} {words["unit"]}</text>']


def chart(language):
    one, words = measured(), WORDS[language]
    values = [f"{words[way]}: {milliseconds(one, way):.2f} {words['unit']}" for way in WAYS]
    scale = LONGEST / max(milliseconds(one, way) for way in WAYS)
    keeps = words["keeps"].format(kept=percent(one["kept"]["xsched"]))
    what = words["what"].format(device=one["hardware"].split(";")[0].split(" 80GB")[0], driver=one["driver"].split()[0])
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
             f'aria-label="{escape(words["title"])}. {escape("; ".join(values))}. {escape(keeps)}">', style(),
             f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8"/>',
             f'<text class="ink" x="{LEFT}" y="36" font-size="16" font-weight="600">{escape(words["title"])}</text>']
    for place, way in enumerate(WAYS):
        lines += bar(one, way, words, FIRST_BAR + place * STEP, scale)
    lines += [f'<text class="ink" x="{LEFT}" y="{HEIGHT - 34}" font-size="14">{escape(keeps)}</text>',
              f'<text class="soft" x="{LEFT}" y="{HEIGHT - 14}" font-size="12.5">{escape(what)}</text>', "</svg>"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "images")
    folder = parser.parse_args().to
    folder.mkdir(parents=True, exist_ok=True)
    for language, name in FILES.items():
        (folder / name).write_text(chart(language))


if __name__ == "__main__":
    main()
