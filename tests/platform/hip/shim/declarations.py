#!/usr/bin/env python3
"""From the vendor's headers: those functions that api/hip.json declares too, each with CHECK(name). They are declared
in a namespace of their own, where no template of the same name is in the way.

   declarations.py TABLE OUT HEADER..."""
import json
import re
import sys

ours = [row["name"] for row in json.load(open(sys.argv[1]))["functions"] if "args" in row]
headers = "".join(open(path).read() for path in sys.argv[3:])
headers = re.sub(r"/\*.*?\*/|//[^\n]*", "", headers, flags=re.S)
declared, checks = [], []
for name in ours:
    match = re.search(rf"^\s*((?:hipError_t|const char\s*\*|int)\s+{name}\(([^;{{]*?)\))\s*(?:__attribute__.*?)?;",
                      headers, flags=re.M | re.S)
    if not match:
        continue
    declared.append(re.sub(r"\s*=\s*\w+|__dparm\(\w+\)", "", " ".join(match.group(1).split())) + ";")
    checks.append(f"CHECK({name})")
assert len(checks) > 80, f"only {len(checks)} of the functions were found in {sys.argv[3:]}"
with open(sys.argv[2], "w") as out:
    out.write("namespace theirs {\nextern \"C\" {\n" + "\n".join(declared) + "\n}\n}\n#ifdef CHECK\n" +
              "\n".join(checks) + "\n#undef CHECK\n#endif\n")
