#!/usr/bin/env python3
"""Real programs under XSched: each is tried in several ways, and must behave as it does natively.

  run.py [--build DIR] [--out FILE] [--quick] [--only NAME,...] [--limit SECONDS]

native       twice: what differs between these (masks apart) says nothing of XSched
xcli run     at priority 0, alone
preload      with the shim preloaded, and no server
urgent       at priority 10, beside a program that keeps the device busy
victim       at priority 0, beside one of priority 10 that has work every 20 ms
killed       in its middle: the server and a neighbour go on, and nothing of it is left
interrupted  by SIGINT in its middle: it ends as natively

Compared are standard output, standard error and files, exit status, and the open descriptors and threads of its last
moment. Programs that are not here are skipped, with the reason. Ends with 1 if a program differs.
"""
import argparse
import datetime
import json
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE)]
import row as row_module  # noqa: E402
import rows  # noqa: E402
import ways  # noqa: E402

SKIPPED = 77
CXX = ("c++", "-std=c++20", "-w")
NEIGHBOURS = {  # its source, the compiler, and its words
    "opencl": ("neighbour.c", "cc", "-lOpenCL"),
    "cuda": ("neighbour_cuda.c", "cc", "-ldl"),
    "vulkan": ("neighbour_vulkan.cpp", *CXX, "-Ibench/vulkan/compute", "bench/vulkan/compute/compute.cpp", "-lvulkan"),
    "ascend": ("neighbour_ascend.cpp", *CXX, "-Ibench/programs", "-Ibench/ascend/main_job",
               "bench/ascend/main_job/busy_device.cpp", "bench/ascend/main_job/runtime.cpp",
               "bench/programs/arguments.cpp", "-ldl"),
}
MAKING_S = 300  # safety; the longest inputs take a minute


@dataclass
class Tools:
    build: Path
    work: Path
    outside: Path
    making_s: int = MAKING_S

    def neighbour(self, kind):
        """The program beside which others are tried; compiled when it is first needed."""
        source, *words = NEIGHBOURS[kind]
        source = HERE / "clients" / source
        program = self.work / f"neighbour_{kind}"
        if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
            subprocess.run([words[0], "-O1", "-o", program, source, *words[1:]], check=True, timeout=MAKING_S,
                           cwd=ROOT)
        return program


def said(command):
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    return done.stdout.strip()


def circumstances():
    """Where and on what all of it ran; when, and which XSched it was, each program says for itself."""
    system = Path("/etc/os-release").read_text(encoding="utf-8")
    name = next(line.split("=")[1].strip('"') for line in system.splitlines() if line.startswith("PRETTY_NAME="))
    return {"system": name, "kernel": platform.release(), "versions": row_module.versions(rows.DRIVERS)}


def tried(row, tools, deadline):
    """The document's entry for one program."""
    entry = {"name": row.name, "says": row.says, "platform": row.platform}
    reason = row_module.why_not(row, tools)
    if reason is None and time.monotonic() > deadline:
        reason = "no time was left"
    began = time.monotonic()
    trials = ways.Trials(row, tools, lambda way: print(f"  {row.name}: {way}", file=sys.stderr, flush=True))
    reason = reason or trials.prepare()
    if reason is not None:
        print(f"{row.name}: skipped: {reason}", flush=True)
        return entry | {"skipped": reason}
    found = trials.all()
    wrong = [way for way, result in found.items() if not result["same"]]
    print(f"{row.name}: {'differs: ' + ', '.join(wrong) if wrong else 'the same'} "
          f"({time.monotonic() - began:.0f} s)", flush=True)
    for way in wrong:
        print("\n".join(f"    {way}: {line}" for line in found[way]["differs"]), flush=True)
    masks = [{"pattern": mask.pattern, "why": mask.why} for mask in row.masks]
    known = row_module.versions(row.packages) | row_module.of_modules(row)
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S +0000")
    entry |= {"when": now, "xsched": said([tools.build / "bin" / "xcli", "--version"])}
    return entry | {"versions": known, "command": " ".join(row.command), "masks": masks, "unordered": row.unordered,
                    "threads_vary": row.threads_vary, "repeated": trials.repeated, "ways": found}


def chosen(given):
    names = given.only.split(",") if given.only else None
    known = {row.name for row in rows.ROWS}
    if names and (unknown := set(names) - known):
        sys.exit(f"run.py: no program is called {', '.join(sorted(unknown))}; there are: {', '.join(sorted(known))}")
    return [row for row in rows.ROWS if (row.name in names if names else row.quick or not given.quick)]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help="where bin/xcli and lib are")
    parser.add_argument("--work", type=Path, help="a folder for the programs' files (default: BUILD/matrix)")
    parser.add_argument("--outside", type=Path, default=Path("/opt/xsched-matrix"),
                        help="where programs are that were built outside the tree (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="write what was found there, as JSON")
    parser.add_argument("--quick", action="store_true", help="only the few programs of make test")
    parser.add_argument("--only", help="only these programs; the others of --out stay as they are")
    parser.add_argument("--limit", type=float, default=3600, help="seconds after which no further program begins")
    return parser.parse_args()


def write(given, entries):
    """With the entries that are there already and were not asked for."""
    old = json.loads(given.out.read_text()) if given.only and given.out.exists() else {"programs": []}
    kept = {entry["name"]: entry for entry in old["programs"]} | {entry["name"]: entry for entry in entries}
    document = circumstances() | {"programs": [kept[row.name] for row in rows.ROWS if row.name in kept]}
    text = json.dumps(document, indent=1).replace(f"{ROOT}/", "")  # messages name the folder of this checkout
    given.out.write_text(text + "\n")


def main():
    given = parse()
    build = given.build.resolve()
    tools = Tools(build, (given.work or build / "matrix").resolve(), given.outside.resolve())
    tools.work.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + given.limit
    entries = [tried(row, tools, deadline) for row in chosen(given)]
    if given.out:
        write(given, entries)
    done = [entry for entry in entries if "ways" in entry]
    differing = [entry["name"] for entry in done if not all(way["same"] for way in entry["ways"].values())]
    print(f"{len(done) - len(differing)} passed, {len(differing)} failed, {len(entries) - len(done)} skipped")
    if not done:
        print("skipped: none of these programs is here")
        sys.exit(SKIPPED)
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
