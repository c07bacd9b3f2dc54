#!/usr/bin/env python3
"""The tables of docs/programs, from the results of bench/cuda/programs.py.

    programs_page.py [--check]

Each table stands between the lines <!-- measured: URGENT --> and <!-- end -->. --check: nothing is written, and the
exit status is 1 if a page differs from the results."""
import argparse
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES, RESULTS = ROOT / "docs" / "programs", ROOT / "bench" / "results" / "h200"
FILES = ("cuda_programs.json", "cuda_programs_streams.json", "cuda_programs_llama.json")
WAYS = {"native": "beside them, natively", "mps_priority": "under MPS, with its priorities", "xsched": "under XSched"}
TITLES = {"first_token_ms": "first token", "between_tokens_ms": "between tokens", "answer_ms": "answer",
          "filter_ms": "filter"}
NAMES = {"lora_training": "LoRA training", "embeddings": "embeddings", "diffusion": "diffusion",
         "jax_training": "JAX training", "llama_cpp --prompt": "llama.cpp's prompts"}
TABLE = re.compile(r"(<!-- measured: (.*?) -->\n).*?(<!-- end -->)", re.S)


def scenarios():
    """{urgent program: (its result, the file's name, the whole file)}"""
    found = {}
    for name in FILES:
        whole = json.loads((RESULTS / name).read_text())
        found.update({urgent: (one, name, whole) for urgent, one in whole["scenarios"].items()})
    return found


def row(title, urgent, kinds, busy):
    """`busy`: {name: steps a second}."""
    times = [f"{urgent[kind]['p50']:.2f} / {urgent[kind]['p99']:.2f}" for kind in kinds]
    return f"| {title} | {' | '.join([*times, *(f'{rate:.1f}' if rate else '' for rate in busy)])} |"


def table(urgent, result, name, whole):
    medians, busy = result["medians"], result["busy"]
    urgent = urgent.split(" beside ")[0]
    kinds = [kind for kind in TITLES if kind in medians["alone"][urgent]]
    heads = [*(f"{TITLES[kind]}, p50 / p99 ms" for kind in kinds), *(f"{NAMES[one]}, steps/s" for one in busy)]
    alone = [medians["alone"][one]["steps_per_second"] for one in busy]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|",
             row("each alone", medians["alone"][urgent], kinds, alone),
             row("alone, under XSched", medians["alone_under_xsched"], kinds, [0] * len(busy))]
    lines += [row(title, medians["beside"][way][urgent], kinds,
                  [medians["beside"][way][one]["steps_per_second"] for one in busy])
              for way, title in WAYS.items() if way in medians["beside"]]
    lines += ["", f"Medians of {len(result['rounds'])} rounds of {whole['seconds']:g} s each, in turns, on one "
              f"{whole['device']}, driver {whole['driver']},", f"{whole['when'][:10]} "
              f"([JSON](../../bench/results/h200/{name}))."]
    return "\n".join(lines) + "\n"


def renewed(text, found):
    return TABLE.sub(lambda match: match[1] + table(match[2], *found[match[2]]) + match[3], text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    found, wrong = scenarios(), []
    for page in sorted(PAGES.glob("*.md")):
        before = page.read_text()
        after = renewed(before, found)
        if before != after:
            wrong.append(page.name)
            if not options.check:
                page.write_text(after)
    if options.check and wrong:
        print(f"{', '.join(wrong)}: the tables are not those of the results; bench/programs_page.py writes them")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
