#!/usr/bin/env python3
"""The picture of docs/VULKAN.md: how long each frame of a Vulkan program took, out of figures of measure.py.

    bench/vulkan/chart.py               docs/images/vulkan_frames.svg
    bench/vulkan/chart.py --to FILE     the same there
    bench/vulkan/chart.py --check       status 1 if the picture is another, or the page has not its figures"""
import argparse
import json
import statistics
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import readme_chart  # noqa: E402
from lib.document import percent  # noqa: E402

FIGURES = ROOT / "bench" / "results" / "h200" / "vulkan.json"
PICTURE = ROOT / "docs" / "images" / "vulkan_frames.svg"
PAGE = ROOT / "docs" / "VULKAN.md"
TITLE = "Frames of 9 ms, 60 a second, beside a program with commands of 20 ms"
# The pair (measure.py), its colour, and words for it.
ROWS = (("frames alone", "alone", "alone on the GPU"),
        ("frames unseen, Vulkan natively", "native", "beside Vulkan, natively"),
        ("frames unseen, Vulkan --background", "xsched", "beside Vulkan --background"),
        ("frames -p 5, Vulkan", "xsched", "frames -p 5, beside Vulkan"),
        ("frames unseen, CUDA natively", "native", "beside CUDA, natively"),
        ("frames unseen, CUDA --background", "xsched", "beside CUDA --background"))
WIDTH, LEFT, LABELS, RIGHT, FIRST_ROW, ROW, STEP = 720, 24, 214, 92, 74, 20, 30
MOST_MS, FRAME_MS = 50, 1000 / 60
HEIGHT = FIRST_ROW + STEP * len(ROWS) + 48


def at(ms):
    return LEFT + LABELS + min(ms, MOST_MS) / MOST_MS * (WIDTH - LEFT - LABELS - RIGHT)


def watched(figures, pair):
    """Returns p50 and p99 of the frames' times in ms, the medians of the rounds, and the part that was late or not
    drawn at all."""
    rounds = [one["watched"] for one in figures["pairs"][pair]]
    late = sum(one["late"] + one["missed"] for one in rounds) / sum(one["frames"] + one["missed"] for one in rounds)
    return (*(statistics.median(one[name] for one in rounds) for name in ("p50_ms", "p99_ms")), late)


def row(figures, place, pair, color, words):
    usual, longest, late = watched(figures, pair)
    top = FIRST_ROW + place * STEP
    return [f'<text class="ink" x="{LEFT}" y="{top + 15}" font-size="14">{escape(words)}</text>',
            f'<rect class="{color}" x="{at(0):.1f}" y="{top}" width="{at(usual) - at(0):.1f}" height="{ROW}" rx="2"/>',
            f'<rect class="{color}" x="{at(usual):.1f}" y="{top + ROW // 2 - 1}" width="{at(longest) - at(usual):.1f}" '
            'height="3"/>',
            f'<text class="ink" x="{WIDTH - RIGHT + 12}" y="{top + 15}" font-size="14">{percent(late)} late</text>']


def picture(figures):
    told = "; ".join(f"{words}: {usual:.1f} ms, {percent(late)} late" for words, (usual, _, late) in
                     ((words, watched(figures, pair)) for pair, _, words in ROWS))
    bottom = FIRST_ROW + STEP * len(ROWS)
    due = f"<style>.due {{ stroke: {readme_chart.LIGHT['soft']}; stroke-dasharray: 3 3; }}</style>"
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
             f'aria-label="{escape(TITLE)}. {escape(told)}">', readme_chart.style(), due,
             f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8"/>',
             f'<text class="ink" x="{LEFT}" y="34" font-size="15" font-weight="600">{escape(TITLE)}</text>',
             f'<text class="soft" x="{LEFT}" y="56" font-size="12.5">From when a frame was due until it was drawn: '
             'p50, and a line to p99. Dashed: late from here on.</text>']
    for place, (pair, color, words) in enumerate(ROWS):
        lines += row(figures, place, pair, color, words)
    lines.append(f'<path class="due" d="M{at(FRAME_MS):.1f} {FIRST_ROW - 6}V{bottom}"/>')
    lines += [f'<text class="soft" x="{at(ms):.1f}" y="{bottom + 16}" font-size="12.5" text-anchor="middle">{words}'
              "</text>" for ms, words in ((0, "0"), (FRAME_MS, "16.7 ms"), (30, "30"), (MOST_MS, f"{MOST_MS} ms"))]
    lines += [f'<text class="soft" x="{LEFT}" y="{HEIGHT - 12}" font-size="12.5">{escape(figures["device"])}, driver '
              f'{escape(figures["driver"])}, {escape(figures["date"])}.</text>', "</svg>"]
    return "\n".join(lines) + "\n"


def problems(figures):
    """Returns what the picture and the page lack of the figures."""
    page = PAGE.read_text()
    found = [f"{PAGE.name} has not \"{usual:.1f} / {longest:.1f}\" of \"{pair}\"" for pair, (usual, longest, _) in
             ((pair, watched(figures, pair)) for pair, _, _ in ROWS) if f"{usual:.1f} / {longest:.1f}" not in page]
    if PICTURE.read_text() != picture(figures):
        found.append(f"{PICTURE.name} is not what bench/vulkan/chart.py makes: run it")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=PICTURE)
    parser.add_argument("--check", action="store_true")
    given, figures = parser.parse_args(), json.loads(FIGURES.read_text())
    if given.check:
        sys.exit("\n".join(problems(figures)) or 0)
    given.to.write_text(picture(figures))


if __name__ == "__main__":
    main()
