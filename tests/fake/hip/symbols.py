#!/usr/bin/env python3
"""From api/hip.json: versions.map, with the symbol versions of the real library, and table_names.inc, the order of its
table of functions.    symbols.py TABLE OUT"""
import json
import os
import sys

table = json.load(open(sys.argv[1], encoding="utf-8"))
out = sys.argv[2]
versions = {}
for row in table["functions"]:
    versions.setdefault(row["since"], []).append(row["name"])
text, before = "", ""
for version in sorted(versions, key=lambda it: [int(part) for part in it.split(".")]):
    names = "".join(f"    {name};\n" for name in versions[version])
    controls = "    fake_cuda_*;\n    hip*Future*;\n" if not before else ""
    local = "  local: *;\n" if not before else ""
    text += f"hip_{version} {{\n  global:\n{names}{controls}{local}}}{before};\n"
    before = f" hip_{version}"
os.makedirs(out, exist_ok=True)
with open(os.path.join(out, "versions.map"), "w", encoding="utf-8") as file:
    file.write(text)
with open(os.path.join(out, "table_names.inc"), "w", encoding="utf-8") as file:
    file.write("".join(f'"{name}",\n' for name in table["dispatch_table"]))
