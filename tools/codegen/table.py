"""An API's table (api/<api>.json), read and checked. A mistake in it ends the program with a sentence that names its
row.

The table:
  functions     one row for each function that the vendor's library exports
  by_name       the same for functions that no library exports and programs ask the driver for; may be left out
  others        names of functions that the vendor's library exports and that put nothing on the device, where the
                table has no rows for them; may be left out
  result        what a function returns, unless its row says otherwise
  per_thread    endings of names: such a function is that without the ending, for programs with one default stream per
                thread; it has the same arguments and the same hook
  layer         true: the vendor's loader calls the library as a layer, by the names that it asks for. The library then
                exports extra_exports alone, and has no trampolines
  dispatch_table, version_prefix, extra_exports: see generate.py; each may be left out

A row:
  name, since, class, why
  args     the types of the arguments; needed where XSched hooks or calls the function and has no vendor header for it
  result   what it returns
  hook     the shape of the hook: a template of src/platform/<p>/shim/shapes.h. A function of class "scheduled" has the
           hook "scheduled" unless the row says otherwise; any other has none
  blocking which argument says whether the call blocks (OpenCL)
  traits   what neither types nor hook tell of the function (TRAITS below)
  copy     it copies memory; which of the sizes among its arguments tells how many bytes (COPIES below)
  option   a part of the platform that may be left out and hooks the function as well
  used     "needed": XSched itself calls the function and schedules nothing without it; "optional": it can do without
"""
import json
import re
import sys

CLASSES = {
    "scheduled": "becomes a command of the queue's XQueue: counted, held back while the queue may not run",
    "ordered": "no work of its own; keeps its place relative to commands that are held back",
    "forwarded": "goes straight to the driver",
}
# Traits of a function that its hook must know, in the order of struct Traits (src/platform/stream/shim/entry_points.h).
TRAITS = {
    "cooperative": "all blocks of its kernel start together, in a hardware queue for such kernels",
    "graph": "it launches a graph, which uses other hardware queues beside the stream's own",
    "waits": "what the stream waits for may be the next thing that the caller does, without the driver",
    "question": "it asks, and does not wait",
    "stands": "the stream waits for what its device does not end: the host, another program or another device",
    "peeks": "the error that it tells stays the thread's last one",
}
COPIES = {
    "last": "the last one",
    "first": "the first one, before an offset",
    "rows": "the last two are a row's bytes and how many rows there are",
    "region": "the three of the last list, which is a rectangle's",
    "untold": "none: a structure tells, or there are several ranges",
}
NEEDED = {"name", "since", "class", "why"}
ALLOWED = NEEDED | {"args", "result", "hook", "blocking", "traits", "copy", "option", "used"}
INHERITED = {"args", "result", "hook", "blocking", "traits", "copy"}


class Wrong(Exception):
    """A fault in a table."""


def check_row(row, table):
    if not NEEDED <= set(row) <= ALLOWED:
        raise Wrong(f"row {row} needs {', '.join(sorted(NEEDED))} and may have "
                    f"{', '.join(sorted(ALLOWED - NEEDED))}")
    name = row["name"]
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise Wrong(f"'{name}' is not a function name")
    if row["class"] not in CLASSES:
        raise Wrong(f"{name} has class '{row['class']}'; the classes are {', '.join(CLASSES)}")
    if not row["why"]:
        raise Wrong(f"{name} needs a reason")
    if row.get("used", "needed") not in ("needed", "optional"):
        raise Wrong(f"{name} is used '{row['used']}'; that is needed or optional")
    for trait in row.get("traits", []):
        if trait not in TRAITS:
            raise Wrong(f"{name} has the trait '{trait}'; the traits are {', '.join(TRAITS)}")
    if row.get("copy", "last") not in COPIES:
        raise Wrong(f"{name} tells a copy's bytes by '{row['copy']}'; that is {', '.join(COPIES)}")
    if "hook" in row and not re.fullmatch(r"[a-z_]\w*", row["hook"]):
        raise Wrong(f"{name} has the hook '{row['hook']}', which is no template's name")


def plain_of(name, table, rows):
    """The row of the function without the ending for per-thread default streams, or None."""
    endings = [ending for ending in table.get("per_thread", []) if name.endswith(ending)]
    return next((rows[name[:-len(ending)]] for ending in endings if name[:-len(ending)] in rows), None)


def complete(row, table, rows):
    """The row with what it need not say."""
    plain = plain_of(row["name"], table, rows)
    if plain:
        own = INHERITED & set(row)
        if own:
            raise Wrong(f"{row['name']} has the {', '.join(sorted(own))} of {plain['name']}: leave it out")
        if row["class"] != plain["class"]:
            raise Wrong(f"{row['name']} has class '{row['class']}', {plain['name']} has '{plain['class']}'")
        row = {**row, **{key: plain[key] for key in INHERITED & set(plain)}}
    if row["class"] == "scheduled":
        row.setdefault("hook", "scheduled")
    row["per_thread"] = plain is not None
    if "result" in table:
        if "args" not in row and ("hook" in row or "used" in row):
            raise Wrong(f"{row['name']} is hooked or called, so it needs its arguments' types (\"args\")")
        row.setdefault("result", table["result"])
    return row


def load(path):
    """The table with complete rows."""
    with open(path, encoding="utf-8") as file:
        table = json.load(file)
    for part in ("by_name", "extra_exports"):
        table.setdefault(part, [])
    try:
        rows = {}
        for row in table["functions"] + table["by_name"]:
            check_row(row, table)
            if row["name"] in rows:
                raise Wrong(f"{row['name']} is listed twice")
            rows[row["name"]] = row
        for name in table.get("others", []):
            if name in rows:
                raise Wrong(f"{name} is among the others, and has a row as well")
        for name in table.get("dispatch_table", []):
            if name not in rows:
                raise Wrong(f"{name} is in the dispatch table, but no function")
        for kind in ("functions", "by_name"):
            table[kind] = [complete(row, table, rows) for row in table[kind]]
    except Wrong as wrong:
        sys.exit(f"generate.py: {path}: {wrong}")
    return table
