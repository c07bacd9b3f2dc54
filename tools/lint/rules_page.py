#!/usr/bin/python3
"""docs/rules.md says what the rules of the scheduler core are and what each is worth, from src/sched/facts/rules.def
and from what `xsim ablate --json` showed (bench/results/ablation.json). With --write the page is written again."""
import json
import re
import sys

import lint
from time_constants import FOLDERS, ROW, constants

PAGE = "docs/rules.md"
TABLE = "src/sched/facts/rules.def"
RESULTS = "bench/results/ablation.json"
RULE = re.compile(r'^XSCHED_RULE\((k\w+), "([^"]*)", "([^"]*)", "([^"]*)"\)$')
VALUE = re.compile(r"\b(k\w+)\s*(?:=|\{)\s*([^;}]*)[;}]")
HEAD = """# The rules of the scheduler core

Rules by program, of configuration files, are in [CONFIG.md](CONFIG.md#rules-by-program). This page is about the
scheduler's own.

Written by `tools/lint/rules_page.py --write`, from [rules.def](../src/sched/facts/rules.def) and from what
`xsim ablate` showed ([ablation.json](../bench/results/ablation.json)). A test build can turn each rule off;
`xsim ablate RULE` shows what changes in its workloads (`src/sim/ablation.cpp`), on the simulator's model of an H100.

*Worth* is the workload in which the rule shows most, and what turning it off changes there: the urgent program's p50,
p99 or first burst in percent (plus: longer without the rule), or the device time of the victims in points (minus: less
without the rule). Some rules have a purpose that the simulator cannot show: slow moments of a machine, kernels that
need whole multiprocessors, memory that is scrubbed, work that is not seen. The decision page says what was measured on
a GPU, and *safety* says that the rule bounds harm, whatever a workload shows.

"""


def rows(root):
    for number, line in lint.numbered_lines(lint.read(root, TABLE)):
        if line.startswith("// ") and not line.startswith("//  "):
            yield number, None, line[3:]
        elif line.startswith("XSCHED_RULE"):
            yield number, RULE.match(line), line


def evidence_text(root, evidence):
    texts = []
    for part in re.split(r"[,;] *", evidence):
        pages = sorted((root / "docs/decisions").glob(f"{part}-*.md")) if part.isdigit() else []
        texts.append(f"[{part}](decisions/{pages[0].name})" if pages else part)
    return ", ".join(texts)


def effect_text(effect):
    parts = [f"{name} {100 * effect[name]:+.0f} %" for name, least in (("p50", 0.01), ("p99", 0.01), ("first", 0.03))
             if abs(effect[name]) >= least]
    if abs(effect["victims"]) >= 0.01:
        parts.append(f"victims {100 * effect['victims']:+.1f} points")
    return f"{effect['workload']}: {', '.join(parts)}"


def worth_text(results, name):
    known = results.get(name)
    if known is None:
        return "not run"
    if known["effects"]:
        more = known.get("show", len(known["effects"])) - 1
        return effect_text(known["effects"][0]) + (f" (and in {more} more)" if more else "")
    if known["decide_otherwise"]:
        return f"nothing that shows; decides otherwise in {known['decide_otherwise']} workloads"
    return "decides nothing otherwise in any workload"


def constants_text(root):
    text = ("\n## Time constants\n\nThese are the times of the rooms that decide and preempt, each with the reason for "
            "its value (`tools/lint/time_constants.py`).\n\n| constant | value | why | file |\n|---|---|---|---|\n")
    for path in lint.files(root, {".cpp", ".h", ".def"}, {"src"}):
        if not str(path).startswith(FOLDERS):
            continue
        lines = lint.read(root, path).splitlines()
        for line, name, beside in constants("\n".join(lines)):
            why = re.search(r"decisions?[ /]\d{3}|measured|driver|safety|judgement", beside, re.I)
            row, value = ROW.match(lines[line - 1]), VALUE.search(lines[line - 1])
            text += (f"| `{name}` | {row.group(2) if row else value.group(2).strip() if value else ''} | "
                     f"{why.group(0).lower() if why else ''} | {str(path)[4:]} |\n")
    return text


def page(root):
    text = lint.read(root, RESULTS) if (root / RESULTS).exists() else ""
    results = {one["rule"]: one for one in json.loads(text)["rules"]} if text else {}
    text = HEAD
    for _, rule, line in rows(root):
        if rule is None and line.startswith(("The rules", "shows what")):
            continue
        if rule is None:
            text += f"\n## {line.rstrip('.')}\n\n| rule | the core ... | file | evidence | worth |\n"
            text += "|---|---|---|---|---|\n"
            continue
        name, file, evidence, sentence = rule.groups()
        text += (f"| `{name}` | {sentence} | [{file}](../src/sched/{file}) | {evidence_text(root, evidence)} | "
                 f"{worth_text(results, name)} |\n")
    return text.replace("\n\n\n", "\n\n") + constants_text(root)


def check(root, _):
    if not (root / TABLE).exists():
        return []
    problems = [f"{TABLE}:{number}: write the row on one line: XSCHED_RULE(name, \"file\", \"evidence\", \"sentence\")"
                for number, rule, line in rows(root) if rule is None and line.startswith("XSCHED_RULE")]
    for number, rule, _line in rows(root):
        if rule is None:
            continue
        name, file, evidence, _sentence = rule.groups()
        source = root / "src/sched" / file
        if not source.exists() or f"Rule::{name}" not in source.read_text():
            problems.append(f"{TABLE}:{number}: src/sched/{file} does not ask rule_on(Rule::{name})")
        for part in re.split(r"[,;] *", evidence):
            if part.isdigit() and not list((root / "docs/decisions").glob(f"{part}-*.md")):
                problems.append(f"{TABLE}:{number}: docs/decisions has no page {part}")
    if not problems and (not (root / PAGE).exists() or lint.read(root, PAGE) != page(root)):
        problems.append(f"{PAGE}:1: differs from what the tables say: run tools/lint/rules_page.py --write")
    return problems


GOOD = {}
BAD = {
    TABLE: '// Who runs.\nXSCHED_RULE(kA, "core/a.cpp", "judgement", "does a")\n',
}

if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    (lint.ROOT / PAGE).write_text(page(lint.ROOT))
