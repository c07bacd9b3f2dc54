"""Every name that a version's libamdhip64 exports is in our table, with its symbol version."""
import json
import re
import subprocess

# Exported names that no program calls: the compiler's own, and those for AMD's debugger.
NOBODYS = re.compile(r"__gnu_\w+_ieee|amd_dbgapi_\w*|_init|_fini")


def exported(library):
    """{name: symbol version}"""
    listed = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library], check=True, text=True,
                            capture_output=True).stdout
    found = {}
    for line in listed.splitlines():
        name, _, version = line.split()[-1].partition("@")
        if line.split()[-2] not in ("A", "a"):  # the versions themselves
            found[name] = version.lstrip("@")
    return found


def asked_by_programs(table):
    """The names that a program may look for by dlsym. (No program looks for a mangled one.)"""
    return [row["name"] for row in json.loads(table.read_text())["functions"] if row["name"].startswith("hip")]


def wrong(library, table):
    """(how many names were compared, what is wrong with some)"""
    described = json.loads(table.read_text())
    ours = {row["name"]: described["version_prefix"] + row["since"] for row in described["functions"]}
    theirs = {name: version for name, version in exported(library).items() if not NOBODYS.fullmatch(name)}
    unknown = sorted(set(theirs) - set(ours))
    other = sorted(f"{name} has {theirs[name]}, not {ours[name]}" for name in set(theirs) & set(ours)
                   if theirs[name] != ours[name])
    return len(theirs), [f"api/hip.json lacks {name}" for name in unknown] + other
