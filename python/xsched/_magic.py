"""%xsched in IPython and Jupyter: what a notebook's own process asks of the scheduler. `%load_ext xsched` loads it.

    %xsched priority 10        # any hint of `xcli hint`, by its name
    %xsched share 30
    %xsched                    # why this notebook is as fast as it is
    %xsched list               # list, status, explain and hint --help as xcli prints them

xcli does it all, so the words, ranges and sentences are those of the command line."""
import os
import shlex
import subprocess
from typing import Any, List

from . import _libraries, _platforms

SHOWN = ("explain", "list", "status")  # commands that only show
PATIENCE_S = 30


def command_of(line: str, pid: int) -> List[str]:
    """Returns the words for xcli. ValueError if the line names neither a command nor a hint with its value."""
    words = shlex.split(line)
    if not words or words == ["explain"]:
        return ["explain", str(pid)]
    if words[0] in SHOWN:
        return words
    if words[0] in ("suspend", "resume"):
        raise ValueError(f"%xsched {words[0]}: a notebook that is suspended could not run the next cell: use xcli "
                         f"{words[0]} {pid} in a terminal")
    if len(words) != 2 or words[0].startswith("-"):
        raise ValueError("write %xsched HINT VALUE, such as %xsched priority 10; %xsched explain, list or status; "
                         "xcli hint --help has all hints")
    return ["hint", str(pid), f"--{words[0].replace('_', '-')}", words[1]]


def is_scheduled() -> bool:
    """Returns whether a shim is loaded in this process, so that its launches are scheduled."""
    return any(_libraries.loaded(f"libshim{name}.so") for name in _platforms.PLATFORMS)


def xsched(line: str) -> None:
    """The magic itself. It prints what xcli prints."""
    xcli = _libraries.tool("xcli")
    if xcli is None:
        print("xcli is found neither beside XSched's libraries nor on PATH: install XSched")
        return
    try:
        words = command_of(line, os.getpid())
    except ValueError as error:
        print(error)
        return
    done = subprocess.run([xcli, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=PATIENCE_S, encoding="utf-8")
    print(done.stdout, end="")
    if not is_scheduled():
        print("This notebook's process runs without XSched: start Jupyter with `xcli run -- jupyter lab`, then its "
              "kernels are scheduled.")


def load_ipython_extension(shell: Any) -> None:
    """Called by %load_ext xsched."""
    shell.register_magic_function(xsched, "line", "xsched")
