"""python -m xsched run [options] script.py [arguments]: a Python program under XSched, by `xcli run`.

With -m MODULE or -c COMMAND in place of the script, as with python itself. The interpreter is the one that runs
this."""
import argparse
import os
import sys
from typing import List, NoReturn, Optional, Tuple

from . import __version__, _libraries

USAGE = "python -m xsched run [options] (script.py | -m module | -c command) [arguments]"
# What belongs to us and takes a value; everything from the first other word on is Python's.
OPTIONS = {
    "--priority": ("-p", "larger is more urgent, -255..255; -256: never runs (default 0)"),
    "--level": ("-l", "preempt level 1..3; 0: the highest that the hardware supports"),
    "--threshold": ("-t", "most commands in flight; 0: chosen automatically"),
    "--batch": ("-b", "commands launched at a time; 0: half the threshold"),
    "--policy": (None, "the policy, if this starts the server or with --scheduler local"),
    "--scheduler": (None, "global (default), local or app"),
    "--log": (None, "DEBG, INFO, WARN or ERRO"),
}


def split(words: List[str]) -> Tuple[List[str], List[str]]:
    """Our options, and the words for Python."""
    taking = set(OPTIONS) | {short for short, _ in OPTIONS.values() if short}
    i = 0
    while i < len(words):
        name = words[i].split("=", 1)[0]
        if name in ("-h", "--help"):
            i += 1
        elif name in taking:
            i += 1 if "=" in words[i] else 2
        elif len(words[i]) > 2 and words[i][:2] in taking:  # -p5
            i += 1
        else:
            break
    rest = words[i:]
    return words[:i], rest[1:] if rest[:1] == ["--"] else rest


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m xsched", usage=USAGE,
                                   description="Runs a Python program under XSched.")
    for name, (short, text) in OPTIONS.items():
        made.add_argument(*[short] if short else [], name, help=text, metavar="X")
    return made


def run(words: List[str]) -> NoReturn:
    """Becomes the program. Ends with status 2 and a sentence if that cannot be."""
    ours, python = split(words)
    options = parser().parse_args(ours)
    if not python:
        parser().error("say which script: " + USAGE)
    xcli = _libraries.tool("xcli")
    if xcli is None:
        parser().error("xcli is found neither beside XSched's libraries nor on PATH: install XSched, or put the folder "
                       "of its libraries into LD_LIBRARY_PATH")
    given = [f"{name}={value}" for name, value in
             ((name, getattr(options, name[2:])) for name in OPTIONS) if value is not None]
    command = [xcli, "run", *given, "--", sys.executable, *python]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(xcli, command)


def main(arguments: Optional[List[str]] = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["run"]:
        run(words[1:])
    if words[:1] == ["--version"]:
        print(f"xsched {__version__}")
        return 0
    if words[:1] in (["-h"], ["--help"]):
        parser().print_help()
        return 0
    parser().error(f"say what to do: {USAGE}")


if __name__ == "__main__":
    sys.exit(main())
