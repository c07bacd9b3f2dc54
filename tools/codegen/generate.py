#!/usr/bin/env python3
"""Generates what a shim needs from an API's symbol table (api/<api>.json).

    generate.py TABLE --out DIR --arch x86_64|aarch64     trampolines.S, exports.map, entry_points.inc
    generate.py TABLE --coverage FILE                     the documentation page

A trampoline is the exported entry point: it jumps through its slot and touches nothing else, so it needs no
signature. A slot first leads to a stub that saves every register which may carry an argument, asks
xsched_<api>_resolve(index) for the address to go to, and goes there. entry_points.inc lists the functions for C++:
ENTRY_POINT(name), HOOK(name) for those that the shim handles itself, and BY_NAME(name) for functions that no library
exports and programs ask the driver for ("by_name" in the table); TABLE_ENTRY(index, name) for the places of hooked
functions in the table of pointers that the library itself calls through ("dispatch_table", where it has one).

Where the vendor's symbols have versions ("version_prefix"), exports.map defines all of them, so that whoever needs
version hip_5.1 of the library is satisfied by ours; the symbols themselves are left without one, which fits a reference
to any.
"""
import argparse
import json
import os
import re
import sys

import trampolines

CLASSES = {
    "scheduled": "becomes a command of the queue's XQueue: counted, held back while the queue may not run",
    "ordered": "no work of its own; keeps its place relative to commands that are held back",
    "forwarded": "goes straight to the driver",
}


def fail(message):
    sys.exit(f"generate.py: {message}")


def load(path):
    """The table, checked: a mistake in it is reported with its row."""
    with open(path, encoding="utf-8") as file:
        table = json.load(file)
    seen = set()
    for row in table["functions"] + table["by_name"]:
        if set(row) != {"name", "since", "class", "hook", "why"}:
            fail(f"{path}: row {row} needs exactly name, since, class, hook and why")
        name = row["name"]
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            fail(f"{path}: '{name}' is not a function name")
        if name in seen:
            fail(f"{path}: {name} is listed twice")
        seen.add(name)
        if row["class"] not in CLASSES:
            fail(f"{path}: {name} has class '{row['class']}'; the classes are {', '.join(CLASSES)}")
        if row["class"] == "scheduled" and not row["hook"]:
            fail(f"{path}: {name} is scheduled, so it needs a hook")
        if not row["why"]:
            fail(f"{path}: {name} needs a reason")
    for name in table.get("dispatch_table", []):
        if name not in seen:
            fail(f"{path}: {name} is in the dispatch table, but no function")
    return table


def versions(table):
    """The vendor's symbol versions, the oldest first."""
    numbers = {row["since"] for row in table["functions"]}
    return [table["version_prefix"] + it for it in sorted(numbers,
                                                          key=lambda it: [int(part) for part in it.split(".")])]


def exports(table):
    if "version_prefix" in table:
        nodes = versions(table)
        return "".join(f"{node} {{\n}}{' ' + before if before else ''};\n"
                       for node, before in zip(nodes, [None] + nodes))
    names = [row["name"] for row in table["functions"]] + table["extra_exports"]
    return "{\n  global:\n" + "".join(f"    {name};\n" for name in names) + "  local: *;\n};\n"


def entry_points(table):
    rows = table["functions"]
    macros = ("ENTRY_POINT", "HOOK", "BY_NAME")
    hooked = {row["name"] for row in rows if row["hook"]}
    lines = ["// Define those of these macros that you need before the #include; they are undefined afterwards."]
    for macro in macros:
        lines += [f"#ifndef {macro}", f"#define {macro}(name)", "#endif"]
    lines += [f"ENTRY_POINT({row['name']})" for row in rows]
    lines += [f"HOOK({row['name']})" for row in rows if row["hook"]]
    lines += [f"BY_NAME({row['name']})" for row in table["by_name"]]
    lines += [f"#undef {macro}" for macro in macros]
    if "dispatch_table" in table:
        lines += ["#ifdef TABLE_ENTRY"]
        lines += [f"TABLE_ENTRY({i}, {name})" for i, name in enumerate(table["dispatch_table"]) if name in hooked]
        lines += ["#undef TABLE_ENTRY", "#endif"]
    return "\n".join(lines) + "\n"


def coverage_row(row):
    return f"| `{row['name']}` | {row['since']} | {row['class']} | {row['why']} |"


def coverage(table, table_name):
    rows = table["functions"]
    counts = {kind: sum(row["class"] == kind for row in rows) for kind in CLASSES}
    lines = [
        f"# Coverage: {table['title']}",
        "",
        f"Every entry point of `{table['library']}`: {table['source']}.",
        f"Generated from `api/{table_name}` by `tools/codegen/generate.py`; change the table, not this page.",
        "",
        "| class | count | meaning |",
        "|---|---|---|",
    ]
    lines += [f"| {kind} | {counts[kind]} | {meaning} |" for kind, meaning in CLASSES.items()]
    lines += [
        f"| all | {len(rows)} | |",
        "",
        "| entry point | since | class | why |",
        "|---|---|---|---|",
    ]
    lines += [coverage_row(row) for row in rows]
    if table["by_name"]:
        lines += [
            "",
            "Functions of extensions, which programs ask the driver for by name. Others that a driver may have go "
            "straight to it.",
            "",
            "| function | extension | class | why |",
            "|---|---|---|---|",
        ]
        lines += [coverage_row(row) for row in table["by_name"]]
    return "\n".join(lines) + "\n"


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description="Generates a shim's trampolines, exports, lists and coverage page.")
    parser.add_argument("table", help="api/<api>.json")
    parser.add_argument("--out", help="directory for trampolines.S, exports.map and entry_points.inc")
    parser.add_argument("--arch", choices=sorted(trampolines.ARCHITECTURES), default="x86_64")
    parser.add_argument("--coverage", help="file for the coverage page")
    arguments = parser.parse_args()
    if not arguments.out and not arguments.coverage:
        fail("nothing to do: give --out, --coverage or both")
    table = load(arguments.table)
    if arguments.out:
        names = [row["name"] for row in table["functions"]]
        write(os.path.join(arguments.out, "trampolines.S"), trampolines.assembly(table["api"], names, arguments.arch))
        write(os.path.join(arguments.out, "exports.map"), exports(table))
        write(os.path.join(arguments.out, "entry_points.inc"), entry_points(table))
    if arguments.coverage:
        write(arguments.coverage, coverage(table, os.path.basename(arguments.table)))


if __name__ == "__main__":
    main()
