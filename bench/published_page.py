#!/usr/bin/env python3
"""The page of what the published workloads gave here, out of their result files alone: for each workload what its paper
claims on which hardware, a table, and one picture.

    bench/published_page.py FOLDER...                    docs/published.md, pictures into bench/results/published
    bench/published_page.py FOLDER... --to OTHER_FOLDER  all of it there
    bench/published_page.py FOLDER... --longer ONE       and in tables of their own what was measured for longer, with
                                                         XSched alone
    bench/published_page.py FOLDER... --apart ONE        and what was measured in runs of their own, in some ways alone

FOLDER: with files of bench/published.py (bench_published_W1.A.json, or published_W1.A.json); or a file that this
program wrote, or one with several runs of some variants, as bench/results/h200/pool_W1.json. Of a variant that is in
several the last one counts. Their figures go into published.json beside the pictures. Exit status 2: there are no such
files."""
import argparse
import json
import os
import sys
import textwrap
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import html, plots, published, report  # noqa: E402
from lib.document import time_text  # noqa: E402

ROOT = report.ROOT
TITLES = {"native": "natively", "mps": "MPS", "static_timeslices": "static timeslices", "xsched": "XSched"}
ALL_TITLES = TITLES | {"mps_priority": "MPS with its priorities", "xsched_pool": "XSched, pool"}
HEAD = """Made by `bench/published_page.py` out of [figures](FIGURES) alone. [Benchmarks](
benchmarks.md#the-published-systems-workloads) says how they are measured. *Of alone*: the percentile that is asked for,
over that of the urgent programs alone. *Of what is left*: the background's rate, of its rate alone and of the time that
the urgent programs leave. *n*: urgent requests; of fewer than a hundred a p99 is their longest, and may differ much
from run to run. The papers measured other GPUs: their numbers are claims, and a faster device makes the same requests a
smaller load."""


def figures(path):
    """Returns the parts of a result file that the page needs."""
    result = json.loads(path.read_text())
    metrics = result["metrics"]
    latency, alone = metrics["latency_us"], metrics["rates_per_s"].get("background alone")
    left = 1 - middle(metrics["urgent_busy"]) if metrics["urgent_busy"] else None
    kept = {way: round(middle(rates) / middle(alone) / left, 4) for way, rates in metrics["rates_per_s"].items()
            if alone and middle(alone) and left and left > 0.01 and way in TITLES}
    return {"id": result["test_id"].removeprefix("bench_").removeprefix("published_"), "name": result["test_name"],
            "date": result["date"][:10], "hardware": result["hardware"], "driver": result["driver_version"],
            "xsched": result["xsched_version"], "claims": metrics["claims"], "latency_us": latency, "kept": kept,
            "targets": metrics["targets"], "failures": [each[:300] for each in metrics["failures"]],
            "notes": result["notes"]}


def middle(values):
    return report.percentile(values, 50)


def figures_of_runs(document):
    """The same of each variant's last run in a file with several."""
    found = []
    for run in document["runs"]:
        name, ways = run["variant"], [way for way in run["latency_us"] if way != "alone"]
        column = run["rows"][0].index("of what is left")
        kept = {way: round(float(row[column].rstrip("%")) / 100, 4) for way, row in zip(ways, run["rows"][2:])}
        variant = next(each for each in published.read_all() if each.id == name.partition(":")[0])
        found.append({"id": variant.id, "name": name, "date": document["date"],
                      "hardware": document["device"].partition(", driver ")[0],
                      "driver": document["device"].partition(", driver ")[2].partition(",")[0],
                      "xsched": run["version"], "claims": variant.claims, "latency_us": run["latency_us"], "kept": kept,
                      "targets": [], "failures": run.get("failures", []), "notes": run["note"]})
    return found


def read(folders):
    """{variant: figures}, sorted as the workloads' files have them."""
    found = {}
    for folder in folders:
        if Path(folder).is_file():
            known = json.loads(Path(folder).read_text())
            found |= {one["id"]: one for one in (known if isinstance(known, list) else figures_of_runs(known))}
        for path in sorted(Path(folder).glob("*published_*.json")):
            made = figures(path)
            found[made["id"]] = made
    order = [variant.id for variant in published.read_all()]
    return {name: found[name] for name in order if name in found}


def asked(one):
    """(percentile, most of alone)"""
    variant = next(each for each in published.read_all() if each.id == one["id"])
    return variant.asks["percentile"], variant.asks["most"]


def ratio(one, way):
    which = f"p{asked(one)[0]}"
    latency = one["latency_us"]
    return latency[way][which] / latency["alone"][which] if way in latency and "alone" in latency else None


def times(one, way):
    found = one["latency_us"].get(way)
    return f"{time_text(found['p50'])} / {time_text(found['p99'])}" if found else "-"


def cell(one, way):
    found = ratio(one, way)
    if found is None:
        return "-"
    text = f"{found:.2f} x"
    if way == "xsched":
        text = f"**{text}**{'' if found <= asked(one)[1] else ' missed'}"
    return f"{times(one, way)}, {text}"


def kept(one, ways):
    return ", ".join(f"{one['kept'][way] * 100:.0f}" if way in one["kept"] else "-" for way in ways)


def longer_table(variants):
    rows = [["", "n", "alone, p50 / p99", "XSched", "asked", "background, % of what is left"], ["---"] * 6]
    for one in variants:
        rows.append([one["id"], one["latency_us"]["alone"]["count"], times(one, "alone"), cell(one, "xsched"),
                     f"{asked(one)[1]:g} x", f"{one['kept'].get('xsched', 0) * 100:.0f}"])
    return lines(rows)


def lines(rows):
    return "\n".join("| " + " | ".join(str(word) for word in row) + " |" for row in rows)


def table(variants, ways=tuple(TITLES)):
    which = sorted({asked(one)[0] for one in variants})
    titles = [ALL_TITLES[way] for way in ways]
    heads = ["", "n", "alone, p50 / p99", *titles, "asked", f"background, % of what is left ({', '.join(titles)})"]
    heads[3] += f"; p{' or p'.join(map(str, which))} of alone"
    rows = [heads, ["---"] * len(heads)]
    for one in variants:
        rows.append([one["name"].replace("|", "/"), one["latency_us"].get("alone", {}).get("count", "-"),
                     times(one, "alone"), *(cell(one, way) for way in ways), f"{asked(one)[1]:g} x", kept(one, ways)])
    return lines(rows)


def apart_table(variants):
    return table(variants, [way for way in ALL_TITLES if any(way in one["latency_us"] for one in variants)])


def picture(workload, variants, longer=()):
    """Returns every variant's urgent percentile, of alone, in each way; under XSched of the longer run if there is
    one."""
    instead = {one["id"]: one for one in longer}

    def value(one, way):
        found = ratio(instead.get(one["id"], one) if way == "xsched" else one, way)
        return round(found, 2) if found else None
    series = [{"name": TITLES[way], "peer": way, "values": [value(one, way) for one in variants]} for way in TITLES]
    which = " or ".join(f"p{each}" for each in sorted({asked(one)[0] for one in variants}))
    return {"kind": "bars", "title": f"{workload}: urgent {which}, of alone", "x": "variant",
            "y": "times alone (logarithmic)", "log": ["y"],
            "groups": [one["id"].partition(".")[2] for one in variants],
            "series": [each for each in series if any(value is not None for value in each["values"])]}


def wrapped(text):
    return "\n".join(textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False))


def runs_of(variants):
    return "; ".join(sorted({f"{one['hardware']}, driver {one['driver']}, {one['date']}, commit {one['xsched']}"
                             for one in variants}))


def notes_of(variants):
    """But for what a run says of itself."""
    return "; ".join(dict.fromkeys(note for one in variants for note in one["notes"].split("; ")
                                   if not note.startswith("meanwhile")))


def section(workload, variants, longer, apart, link):
    source = next(each.source for each in published.read_all() if each.id == variants[0]["id"])
    claims = "; ".join(f"{claim['by']}, on {claim['hardware']}: {claim['number']}" for claim in variants[0]["claims"])
    failures = [f"- {one['id']}: {failure.splitlines()[0]}" for one in variants for failure in one["failures"]]
    parts = [f"## {workload}", wrapped(f"From {source}. Claimed: {claims}."),
             wrapped(f"Here: {runs_of(variants)} ({notes_of(variants)})."), f"![{workload}]({link})", table(variants)]
    if longer:
        parts += [wrapped(f"For longer, alone and under XSched, as XSched's bars in the picture: {runs_of(longer)} "
                          f"({notes_of(longer)})."),
                  longer_table(longer)]
    if apart:
        parts += [wrapped(f"In runs of their own: {runs_of(apart)} ({notes_of(apart)})."), apart_table(apart)]
    if failures:
        parts.append("Failed:\n\n" + "\n".join(failures))
    return "\n\n".join(parts) + "\n"


def by_workload(found):
    grouped = defaultdict(list)
    for name, one in found.items():
        grouped[name.partition(".")[0]].append(one)
    return grouped


def write(found, longer, apart, page, folder):
    """The page, its pictures and figures; returns what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    page.parent.mkdir(parents=True, exist_ok=True)
    where = Path(os.path.relpath(folder, page.parent))
    for name, of in {"published": found, "longer": longer, "apart": apart}.items():
        if of:
            (folder / f"{name}.json").write_text(json.dumps(list(of.values()), indent=1) + "\n")
    head = " ".join(HEAD.replace("FIGURES", str(where / "published.json")).replace("(\n", "(").split())
    parts = [f"# The published systems' workloads, measured\n\n{wrapped(head)}\n"]
    also, alone = by_workload(longer), by_workload(apart)
    for workload, variants in by_workload(found).items():
        drawn = plots.alone(picture(workload, variants, also[workload]), html.STYLE.read_text())
        if drawn:
            (folder / f"{workload}.svg").write_text(drawn)
        parts.append(section(workload, variants, also[workload], alone[workload], where / f"{workload}.svg"))
    page.write_text("\n".join(parts))
    return page


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--to", type=Path, help="a folder for page, pictures and figures")
    parser.add_argument("--longer", action="append", default=[], type=Path)
    parser.add_argument("--apart", action="append", default=[], type=Path)
    options = parser.parse_args(words)
    found = read(options.folders)
    if not found:
        print("published_page: no result of a published workload is there", file=sys.stderr)
        return 2
    page, folder = (options.to / "published.md", options.to) if options.to else \
        (ROOT / "docs" / "published.md", ROOT / "bench" / "results" / "published")
    print(write(found, read(options.longer), read(options.apart), page, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
