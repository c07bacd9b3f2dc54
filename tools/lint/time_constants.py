"""Evidence for the time constants of the scheduler and the queues. Beside each constant stands why it has its value:
the number of a decision page (decision 014), "measured", "driver" for a fact of a driver or of hardware, "safety" for a
bound on harm, or "judgement". The number of judgements can only fall."""
import re

import lint

FOLDERS = ("src/sched", "src/queue", "src/dispatch", "src/platform/stream", "src/platform/cuda", "src/platform/nvidia")
MOST_JUDGEMENTS = 21
CONSTANT = re.compile(r"\bconstexpr\s+(?:u?int\d*(?:_t)?|unsigned|auto)\s+(k(?!NsPer)\w*(?:Ns|Us|Ms))\s*(?:=|\{)")
ROW = re.compile(r"^XSCHED_(?:PRICE|COPY_KIND)\((k\w+), ([^,]+), ([^,]+),")  # of a table: its evidence is a column
PAGE = re.compile(r"decisions?[ /](\d{3})\b", re.I)
WORDS = re.compile(r"\b(?:measured|driver|safety|judgement)\b", re.I)
JUDGEMENT = re.compile(r"\bjudgement\b", re.I)


def constants(text):
    """(line, name, what stands beside it and in the comment above) of each."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if row := ROW.match(line):
            yield at + 1, row.group(1), row.group(3)
            continue
        match = CONSTANT.search(line)
        if not match:
            continue
        beside = [line.partition("//")[2]]
        above = at - 1
        while above >= 0 and lines[above].strip().startswith("//"):
            beside.append(lines[above])
            above -= 1
        yield at + 1, match.group(1), "\n".join(beside)


def check(root, _):
    problems = []
    judgements = []
    pages = {path.name[:3] for path in (root / "docs/decisions").glob("[0-9]*.md")}
    for path in lint.files(root, {".cpp", ".h", ".def"}, {"src"}):
        if not str(path).startswith(FOLDERS):
            continue
        for line, name, beside in constants(lint.read(root, path)):
            cited = PAGE.findall(beside)
            unknown = [page for page in cited if page not in pages]
            if unknown:
                problems.append(f"{path}:{line}: {name} cites decision {unknown[0]}, which docs/decisions has not")
            elif JUDGEMENT.search(beside):
                judgements.append(f"{path}:{line}")
            elif not cited and not WORDS.search(beside):
                problems.append(f"{path}:{line}: {name} says not why it has this value: write \"decision NNN\", "
                                "\"measured\", \"driver\", \"safety\" or \"judgement\" beside it")
    if len(judgements) > MOST_JUDGEMENTS:
        problems.append(f"{judgements[-1]}: {len(judgements)} time constants rest on judgement alone, at most "
                        f"{MOST_JUDGEMENTS}: measure one of them")
    elif len(judgements) < MOST_JUDGEMENTS and pages and len(pages) > 1:
        problems.append(f"tools/lint/time_constants.py: only {len(judgements)} time constants rest on judgement: lower "
                        "MOST_JUDGEMENTS to that")
    return problems


PAGE_OF_TREE = {"docs/decisions/014-timeslices.md": "# 014\n"}
GOOD = PAGE_OF_TREE | {
    "src/sched/a.h": "// Longer ones are rare (decision 014).\nconstexpr int64_t kLongNs = 5;\n",
    "src/dispatch/a.def": "XSCHED_PRICE(kReadNs, 2'000, measured, \"reading\")\n",
    "src/queue/a.cpp": "constexpr int64_t kMostNs = 7;  // safety\n",
    "src/base/a.h": "constexpr int64_t kFreeNs = 7;\n",
    "src/sched/b.h": "constexpr unsigned kMost = 7;\nconstexpr int64_t kNsPerMs = 1;\n",
}
BAD = {
    "src/sched/c.h": "constexpr int64_t kLongNs = 5;  // long\n",
    "src/dispatch/b.def": "XSCHED_PRICE(kReadNs, 2'000, long, \"reading\")\n",
    "src/dispatch/c.cpp": "constexpr int64_t kLongNs = 5;  // decision 099\n",
    "src/platform/stream/hal/c.h": "static constexpr uint32_t kLongUs = 5;\n",
    "src/queue/many.cpp": "constexpr int64_t kLongNs = 5;  // judgement\n" * (MOST_JUDGEMENTS + 1),
}
