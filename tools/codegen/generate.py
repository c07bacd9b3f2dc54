#!/usr/bin/env python3
"""Generates what a platform needs from its API's table (api/<api>.json; table.py says what is in it).

    generate.py TABLE --out DIR --arch x86_64|aarch64     trampolines.S, exports.map and the lists below
    generate.py TABLE --coverage FILE                     the documentation page

A trampoline is the exported entry point: it jumps through its slot and touches nothing else, so it needs no
signature. A slot first leads to a stub that saves every register which may carry an argument. The stub asks
xsched_resolve(index) for the address to go to, and goes there.

functions.inc lists for C++ what XSched hooks or calls itself: FUNCTION(result, name, arguments...) each function whose
types the table has, PER_THREAD(result, name, arguments...) those of them for one default stream per thread,
NEEDED(name) and OPTIONAL(name) those that XSched calls, TRAITS_BY_NAME(name, members...) what else the hooks must know
of functions that programs ask the driver for. traits.inc has the same for all other functions: kTraits<entry point>.

entry_points.inc lists the rest: ENTRY_POINT(name); HOOK(name, shape...) for those that the shim handles itself;
OPTION(option, name) for those that an optional part hooks; BY_NAME(name, shape...) for functions that programs ask the
driver for; TABLE_ENTRY(index, name) for the places of hooked functions in the table of pointers that the library itself
calls through ("dispatch_table", where it has one).

Where the vendor's symbols have versions ("version_prefix"), exports.map defines all of them, so that a
program that needs version hip_5.1 of the library is satisfied by ours; the symbols themselves are left without one,
which fits a reference to any.
"""
import argparse
import os
import sys

import table as tables
import trampolines


# The guest libraries' own operator new and delete (src/base/guest) stay local: the program does not use them.
LOCAL = "  local: _Zn*; _Zd*;\n"


def versions(table):
    """The vendor's symbol versions, the oldest first."""
    numbers = {row["since"] for row in table["functions"]}
    return [table["version_prefix"] + it for it in sorted(numbers,
                                                          key=lambda it: [int(part) for part in it.split(".")])]


def exported(table):
    """The functions that the library exports, each by a trampoline."""
    return [] if table.get("layer") else [row["name"] for row in table["functions"]]


def exports(table):
    if "version_prefix" in table:
        nodes = versions(table)
        return "".join(f"{node} {{\n{'' if before else LOCAL}}}{' ' + before if before else ''};\n"
                       for node, before in zip(nodes, [None] + nodes))
    names = exported(table) + table["extra_exports"]
    return "{\n  global:\n" + "".join(f"    {name};\n" for name in names) + "  local: *;\n};\n"


def with_macros(macros, lines):
    """The lines of a list for C++, each a macro; `macros` with their defaults."""
    head = ["// Define those of these macros that you need before the #include; they are undefined afterwards."]
    for macro, default in macros.items():
        head += [f"#ifndef {macro}", f"#define {macro}({default[0]}) {default[1]}".rstrip(), "#endif"]
    return "\n".join(head + lines + [f"#undef {macro}" for macro in macros]) + "\n"


def shape(row):
    words = [row["name"], row["hook"]] + ([str(row["blocking"])] if "blocking" in row else [])
    return ", ".join(words)


def entry_points(table):
    rows = table["functions"]
    lines = [f"ENTRY_POINT({row['name']})" for row in rows]
    lines += [f"HOOK({shape(row)})" for row in rows if "hook" in row]
    lines += [f"OPTION({row['option']}, {row['name']})" for row in rows if "option" in row]
    lines += [f"BY_NAME({shape(row)})" for row in table["by_name"]]
    hooked = {row["name"] for row in rows if "hook" in row}
    lines += [f"TABLE_ENTRY({i}, {name})" for i, name in enumerate(table.get("dispatch_table", [])) if name in hooked]
    return with_macros({"ENTRY_POINT": ("name", ""), "HOOK": ("name, ...", ""), "OPTION": ("option, name", ""),
                        "BY_NAME": ("name, ...", ""), "TABLE_ENTRY": ("index, name", "")}, lines)


def traits(row):
    """The members of struct Traits that the row sets, in their order."""
    members = [f".{trait} = true" for trait in tables.TRAITS if trait in row.get("traits", [])]
    return members + ([f".copy = CopyBytes::k{row['copy'].capitalize()}"] if "copy" in row else [])


def functions(table):
    lines = []
    for row in table["functions"]:
        if "args" in row:
            words = [row["result"], row["name"]] + ([row["args"]] if row["args"] else [])
            lines.append(f"{'PER_THREAD' if row['per_thread'] else 'FUNCTION'}({', '.join(words)})")
    lines += [f"{row['used'].upper()}({row['name']})" for row in table["functions"] if "used" in row]
    lines += [f"TRAITS_BY_NAME({', '.join([row['name']] + traits(row))})" for row in table["by_name"] if traits(row)]
    return with_macros({"FUNCTION": ("result, name, ...", ""),
                        "PER_THREAD": ("result, name, ...", "FUNCTION(result, name, __VA_ARGS__)"),
                        "NEEDED": ("name", ""), "OPTIONAL": ("name", ""),
                        "TRAITS_BY_NAME": ("name, ...", "")}, lines)


def all_traits(table):
    """kTraits<entry point>, for a header that has declared Traits."""
    lines = ["template <EntryPoint kEntry>", "inline constexpr Traits kTraits{};"]
    for row in table["functions"]:
        if traits(row):
            lines += ["template <>",
                      f"inline constexpr Traits kTraits<kEntry_{row['name']}>{{{', '.join(traits(row))}}};"]
    return "\n".join(lines) + "\n"


def coverage_row(row):
    return f"| `{row['name']}` | {row['since']} | {row['class']} | {row['why']} |"


def coverage(table, table_name):
    rows = table["functions"]
    counts = {kind: sum(row["class"] == kind for row in rows) for kind in tables.CLASSES}
    lines = [
        f"# Coverage: {table['title']}",
        "",
        f"Every entry point of `{table['library']}`: {table['source']}.",
        f"Generated from `api/{table_name}` by `tools/codegen/generate.py`; change the table, not this page.",
        "",
        "| class | count | meaning |",
        "|---|---|---|",
    ]
    lines += [f"| {kind} | {counts[kind]} | {meaning} |" for kind, meaning in tables.CLASSES.items()]
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
    parser = argparse.ArgumentParser(
        description="Generates a platform's trampolines, exports, lists and coverage page.")
    parser.add_argument("table", help="api/<api>.json")
    parser.add_argument("--out", help="directory for trampolines.S, exports.map and the lists")
    parser.add_argument("--arch", choices=sorted(trampolines.ARCHITECTURES), default="x86_64")
    parser.add_argument("--coverage", help="file for the coverage page")
    arguments = parser.parse_args()
    if not arguments.out and not arguments.coverage:
        sys.exit("generate.py: nothing to do: give --out, --coverage or both")
    table = tables.load(arguments.table)
    if arguments.out:
        write(os.path.join(arguments.out, "trampolines.S"), trampolines.assembly(exported(table), arguments.arch))
        write(os.path.join(arguments.out, "exports.map"), exports(table))
        write(os.path.join(arguments.out, "entry_points.inc"), entry_points(table))
        write(os.path.join(arguments.out, "functions.inc"), functions(table))
        write(os.path.join(arguments.out, "traits.inc"), all_traits(table))
    if arguments.coverage:
        write(arguments.coverage, coverage(table, os.path.basename(arguments.table)))


if __name__ == "__main__":
    main()
