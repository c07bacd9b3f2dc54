#!/usr/bin/python3
"""A folder to link guest libraries with, so that they run on C libraries older than this system's: libc.so, libm.so and
so on, which have this system's symbols and no code. Each symbol bears the newest version that an older C library has,
and lies in the library where that one keeps it. A symbol that is newer keeps its version: what needs it links, and
tools/lint/guest_libraries.py refuses it.

    libc_floor.py --compiler gcc --readelf readelf --floor 2.17 --out FOLDER
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

MERGED = (2, 34)  # the version that took these libraries' functions into libc.so.6
# (SONAME before, functions that it had)
DIVIDED = [
    ("libpthread.so.0", r"_?_?pthread_\w+|_?_?sem_\w+"),
    ("libdl.so.2", r"dl\w+"),
    ("librt.so.1", r"(?:aio|lio|mq|shm|timer)_\w+"),
]


def version_of(name):
    """(2, 28) for GLIBC_2.28; None: it is no public version."""
    match = re.fullmatch(r"GLIBC_(\d+(?:\.\d+)+)", name)
    return tuple(int(part) for part in match[1].split(".")) if match else None


class Symbol:
    def __init__(self, kind, size):
        self.kind = kind
        self.size = size
        self.versions = {}  # version: its name

    def add(self, name):
        version = version_of(name)
        if version:
            self.versions[version] = name

    def chosen(self, floor):
        old = [version for version in self.versions if version <= floor]
        return self.versions[max(old) if old else min(self.versions)]


def symbols_of(library, readelf):
    """name: Symbol, of functions and data."""
    found = {}
    listing = subprocess.run([readelf, "--wide", "--dyn-syms", library], check=True, text=True, stdout=subprocess.PIPE)
    for line in listing.stdout.splitlines():
        words = line.split()
        if len(words) != 8 or words[6] == "UND" or words[3] not in ("FUNC", "IFUNC", "OBJECT") or "@" not in words[7]:
            continue
        name, _, version = words[7].partition("@")
        symbol = found.setdefault(name, Symbol("object" if words[3] == "OBJECT" else "function", int(words[2], 0)))
        symbol.add(version.lstrip("@"))
    return {name: symbol for name, symbol in found.items() if symbol.versions}


def place_of(soname, name, symbol, floor):
    """The SONAME of the library that had `name` at the time of `floor`."""
    moved = soname.startswith("libc.so") and floor < MERGED and max(symbol.versions) > floor >= min(symbol.versions)
    if moved:
        for before, pattern in DIVIDED:
            if re.fullmatch(pattern, name):
                return before
    return soname


def assembly(symbols):
    yield ".data"
    for name, symbol in sorted(symbols.items()):
        yield f'.globl "{name}"\n.type "{name}", %{symbol.kind}\n.size "{name}", {max(symbol.size, 1)}'
        yield f'"{name}": .skip {max(symbol.size, 1)}' if symbol.kind == "object" else f'"{name}":'
    yield '.byte 0\n.section .note.GNU-stack, "", %progbits'


def version_script(symbols, floor):
    nodes = {}
    for name, symbol in symbols.items():
        nodes.setdefault(symbol.chosen(floor), []).append(name)
    for node, names in sorted(nodes.items(), key=lambda item: version_of(item[0])):
        yield f"{node} {{ {' '.join(chr(34) + name + chr(34) + ';' for name in sorted(names))} }};"


def build(folder, file, soname, symbols, floor, compiler):
    (folder / "stub.S").write_text("\n".join(assembly(symbols)) + "\n")
    (folder / "stub.map").write_text("\n".join(version_script(symbols, floor)) + "\n")
    subprocess.run([*compiler, "-shared", "-nostdlib", f"-Wl,-soname,{soname}", "-Wl,--build-id=none",
                    f"-Wl,--version-script={folder / 'stub.map'}", folder / "stub.S", "-o", folder / file], check=True)


def file_of(compiler, name):
    """The library or linker script that the linker finds by this name; None: it finds none."""
    said = subprocess.run([*compiler, f"-print-file-name={name}"], check=True, text=True, stdout=subprocess.PIPE)
    path = Path(said.stdout.strip())
    return path if path.is_absolute() and path.exists() else None


def parts_of_libc(compiler):
    """libc.so.6, libc_nonshared.a and the dynamic linker, as the linker script libc.so names them."""
    script = file_of(compiler, "libc.so")
    text = script.read_bytes()[:4096].decode(errors="replace") if script else ""
    paths = re.findall(r"[^\s()]*/[^\s()]+", text.partition("GROUP")[2])
    parts = [next((Path(path) for path in paths if re.search(pattern, path)), None)
             for pattern in (r"/libc\.so\.6$", r"/libc_nonshared\.a$", r"/ld[^/]*\.so\.\d+$")]
    if None in parts:
        sys.exit(f"libc_floor.py: {script} does not name a glibc, its libc_nonshared.a and its dynamic linker: "
                 "configure with -DXSCHED_GLIBC_FLOOR= to link with the C library as it is")
    return [part if part.exists() else file_of(compiler, part.name) for part in parts]  # in a sysroot


def make(arguments):
    floor = tuple(int(part) for part in arguments.floor.split("."))
    compiler = arguments.compiler.split(";")
    libc, nonshared, linker = parts_of_libc(compiler)
    found = [("libc.so.6", libc), (linker.name, linker)]
    found += [(soname, file_of(compiler, soname)) for soname in ["libm.so.6", *(before for before, _ in DIVIDED)]]
    libraries = {}  # SONAME: {name: Symbol}
    for soname, path in found:
        for name, symbol in symbols_of(path, arguments.readelf).items() if path else ():
            libraries.setdefault(place_of(soname, name, symbol, floor), {})[name] = symbol
    arguments.out.mkdir(parents=True, exist_ok=True)
    beside = []  # what libc.so asks for where it is needed
    for soname, symbols in libraries.items():
        file = soname if soname in ("libc.so.6", linker.name) else soname.partition(".")[0] + ".so"
        build(arguments.out, file, soname, symbols, floor, compiler)
        if file not in ("libc.so.6", "libm.so"):
            beside.append(str(arguments.out.resolve() / file))
    (arguments.out / "libc.so").write_text(f"GROUP ( {arguments.out.resolve() / 'libc.so.6'} {nonshared} "
                                           f"AS_NEEDED ( {' '.join(beside)} ) )\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--readelf", required=True)
    parser.add_argument("--floor", required=True)
    parser.add_argument("--out", type=Path, required=True)
    make(parser.parse_args())


if __name__ == "__main__":
    main()
