#!/usr/bin/python3
"""The names of all functions in the tables as C++: known_functions.py OUTPUT TABLE...;
src/cli/doctor/known_functions.h says what comes out."""
import json
import sys
from pathlib import Path


def array(table):
    rows = {row["name"] for kind in ("functions", "by_name") for row in table.get(kind, [])}
    names = sorted(rows | set(table.get("others", [])))
    lines = "".join(f'    "{name}",\n' for name in names)
    return f"const char* const k_{table['api']}[] = {{\n{lines}}};\n"


def main():
    tables = [json.loads(Path(name).read_text()) for name in sys.argv[2:]]
    text = '#include "cli/doctor/known_functions.h"\n\nnamespace xsched::cli {\nnamespace {\n\n'
    text += "\n".join(array(table) for table in tables)
    text += "\n}  // namespace\n\nstd::span<const char* const> known_functions(std::string_view platform) {\n"
    text += "".join(f"    if (platform == \"{table['api']}\") return k_{table['api']};\n" for table in tables)
    text += "    return {};\n}\n\n}  // namespace xsched::cli\n"
    Path(sys.argv[1]).write_text(text)


if __name__ == "__main__":
    main()
