#!/usr/bin/python3
"""Built guest libraries: what they need (the C library, and for our backends libpreempt), and what they export. Also
what they do at load time, that each has a SONAME of its own, and that no symbol is newer than --floor, the oldest glibc
that they are to run on. Takes the folder they were built into: --libraries build/release/lib."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import lint

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import libc_floor  # noqa: E402
import platforms  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SYSTEM = r"libc\.so\.6|libm\.so\.6|libpthread\.so\.0|libdl\.so\.2|librt\.so\.1|ld-linux.*\.so\.\d"
OURS = r"libpreempt\.so\.\d+|libhal\w+\.so\.\d+"
# library: what it may export, and nothing else (symbol versions' own names aside)
EXPORTS = [
    (r"libpreempt\.so", r"XQueue\w+|HwQueue\w+|HwCommand\w+|XHint\w+|xq_\w+"),
] + [
    (rf"lib{layer}{name}\.so", described[f"{layer}_exports"])
    for name, described in platforms.platforms().items() for layer in ("hal", "shim")
]
# Initializers that may run when a library is loaded: the C++ library's own, and those of policies, which put themselves
# on a list. They bear the name of their source file or of a symbol in it.
CXX_LIBRARY = r"_GLOBAL__sub_I_(?:_ZNK?(?:St|9__gnu_cxx).*|eh_\w+\.cc" \
              r"|.*(?:locale|ios|cxx11|compatibility|system_error).*)"
POLICIES = "|".join(re.escape(path.name) for path in (ROOT / "src" / "policy").glob("*/*.cpp"))
INITIALIZERS = rf"{CXX_LIBRARY}|_GLOBAL__sub_I_(?:{POLICIES})"


def tool(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def check_floor(path, floor):
    """Symbols of the C library that an older one lacks: its dynamic linker ends the program before main."""
    symbols = re.findall(r" UND (\S+)@(GLIBC_[\d.]+)", tool("readelf", "--wide", "--dyn-syms", path))
    return [f"{path.name}: needs {name}@{version}, and programs with glibc {floor} would end before main: call an "
            "older function, or define it in src/floor"
            for name, version in symbols if libc_floor.version_of(version) > libc_floor.version_of(f"GLIBC_{floor}")]


def check_library(path, floor):
    section = tool("readelf", "-dW", path)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", section)
    problems = [f"{path.name}: needs {name}: a guest library needs the C library alone"
                for name in needed if not re.fullmatch(f"{SYSTEM}|{OURS}", name)]
    problems += check_floor(path, floor) if floor else []
    problems += [f"{path.name}: its SONAME is {name}: ldconfig would give it to every program that needs {name}"
                 for name in re.findall(r"\(SONAME\).*\[(.*)\]", section) if not name.startswith(path.name)]
    allowed = next((exports for name, exports in EXPORTS if re.fullmatch(name, path.name)), None)
    if allowed is None:
        problems.append(f"{path.name}: nothing says what it may export: src/platform/<p>/platform.json does")
    exported = [line.split() for line in tool("nm", "-DP", "--defined-only", path).splitlines()]
    for symbol, kind in ((words[0].split("@")[0], words[1]) for words in exported):
        if kind != "A" and allowed and not re.fullmatch(allowed, symbol):
            problems.append(f"{path.name}: exports {symbol}: name it in no version script, or say here why it must be "
                            "seen")
    if not exported:
        problems.append(f"{path.name}: exports nothing")
    for line in tool("nm", "-P", path).splitlines():
        symbol = line.split()[0]
        if symbol.startswith("_GLOBAL__sub_I") and not re.fullmatch(INITIALIZERS, symbol):
            problems.append(f"{path.name}: {symbol} runs when the library is loaded: make its objects constinit, "
                            "or build "
                            "them at their first use")
    return problems


def check_plugin(path):
    """Slurm's plugin: what it misses, Slurm must have. The linker takes it with anything missing; slurmd does not."""
    missing = [line.split()[0] for line in tool("nm", "-DP", "--undefined-only", path).splitlines()
               if line.split()[1] == "U" and "@" not in line]
    return [f"{path.name}: nothing has {name}: link the library that does, behind the one that needs it"
            for name in missing if not re.match("slurm_|spank_", name)]


def check(_, arguments):
    libraries = sorted(p for pattern in ("libpreempt.so", "libhal*.so", "libshim*.so")
                       for p in Path(arguments.libraries).glob(pattern) if "fake" not in p.name)
    if not libraries:
        return [f"{arguments.libraries}: no guest library there: build first"]
    problems = [problem for path in libraries for problem in check_library(path, arguments.floor)]
    plugin = Path(arguments.libraries) / "xsched.so"  # only where Slurm's header is
    return problems + (check_plugin(plugin) if plugin.exists() else [])


GOOD = "static int value = 3; extern \"C\" int xq_a() { return value; }"
# Wrong libraries for a test of this check: source, link options, and a part of the complaint that must come.
BAD = [
    ("extern \"C\" [[gnu::visibility(\"default\")]] int xq_a() { return 1; }", ["-Wl,--no-as-needed", "-lgcc_s"],
     "needs libgcc_s"),
    (GOOD, ["-Wl,-soname,libcuda.so.1"], "its SONAME is libcuda.so.1"),
    ("extern \"C\" int xq_a() { return 1; } extern \"C\" int helper() { return 2; }", [], "exports helper"),
    ("#include <cstdlib>\nextern \"C\" unsigned xq_a() { return arc4random(); }", [], "needs arc4random@GLIBC_2.36"),
    ("#include <cstdlib>\nint value = rand(); extern \"C\" int xq_a() { return value; }", [], "runs when"),
]


PLUGIN = "int spank_a(); int ours(); extern \"C\" int slurm_spank_init() { return spank_a() + ours(); }"


def link(folder, source, *options):
    library = Path(folder) / "libpreempt.so"
    Path(folder, "a.cpp").write_text(source)
    tool("g++", "-shared", "-fPIC", "-g", "-o", library, Path(folder, "a.cpp"), "-nostdlib", "-lc", *options)
    return library


def build(folder, source, options):
    return check_library(link(folder, source, *options), "2.17")


def self_test():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        wrong += build(folder, GOOD, [])
        for source, options, complaint in BAD:
            if not any(complaint in problem for problem in build(folder, source, options)):
                wrong.append(f"did not say \"{complaint}\" about: {source}")
        missing = check_plugin(link(folder, f"extern \"C\" {{ {PLUGIN} }}"))
        if len(missing) != 1 or "nothing has ours:" not in missing[0]:
            wrong.append(f"a plugin that misses ours(): {missing}")
    return wrong


def add_arguments(parser):
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--floor", help="oldest glibc, such as 2.17; without: any")


def main():
    if "--self-test" in sys.argv:
        if not shutil.which("g++"):
            print("skipped: no g++ to build bad examples with")
            sys.exit(77)
        problems = self_test()
        print("\n".join(problems))
        sys.exit(1 if problems else 0)
    lint.main(check, {}, {}, add_arguments)


if __name__ == "__main__":
    main()
