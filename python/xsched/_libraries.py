"""Where XSched is installed: its libraries, found and opened at the first call, and its tools.

The libraries that the process has already (a shim was preloaded) are used before any other. Then those of
LD_LIBRARY_PATH, which counts also if it is set in os.environ. Then those that this package was installed or built with.
Then what the dynamic linker finds."""
import ctypes
import os
import re
import shutil
from pathlib import Path
from typing import Dict, Iterator, List, Optional

CORE = "libpreempt.so"
VERSION = ".1"  # of the C interface: libpreempt.so.1; the name without it is for linking programs
_opened: Dict[str, ctypes.CDLL] = {}


def loaded(name: str) -> Optional[Path]:
    """The file of a library, of any version, that this process has loaded; None: it has not."""
    try:
        maps = Path("/proc/self/maps").read_text()
    except OSError:
        return None
    found = re.search(rf" (/\S.*/{re.escape(name)}(?:\.\d+)*)$", maps, re.M)
    return Path(found.group(1)) if found else None


def _listed(variable: str) -> List[str]:
    return [entry for entry in re.split("[: ]", os.environ.get(variable, "")) if entry]


def _folders() -> Iterator[Path]:
    here = loaded(CORE)
    if here:
        yield here.parent
    yield from (Path(entry) for entry in _listed("LD_LIBRARY_PATH"))
    for entry in _listed("LD_PRELOAD"):
        if "/" in entry:
            yield from list(Path(entry).parents)[:3]  # LIBDIR/libshimcuda.so, LIBDIR/xsched/$LIB/libshimcuda.so
    yield Path(__file__).resolve().parent / "lib"  # of a wheel
    for parent in list(Path(__file__).resolve().parents)[1:5]:  # PREFIX/lib/python3/dist-packages/xsched, and the tree
        yield parent
        yield parent / "lib"
        yield parent / "lib64"
        yield from parent.glob("lib/*-linux-gnu")
        yield parent / "build" / "release" / "lib"
    tool = shutil.which("xcli")
    if tool:
        yield Path(tool).resolve().parent.parent / "lib"


def folder() -> Optional[Path]:
    """Where XSched's libraries are; None: only the dynamic linker may know."""
    return next((folder for folder in _folders() if _file(folder, CORE)), None)


def _file(where: Optional[Path], name: str) -> Optional[Path]:
    found = (where / file for file in (name + VERSION, name) if (where / file).is_file()) if where else ()
    return next(iter(found), None)


def tool(name: str) -> Optional[str]:
    """Path of xcli or xserver: beside the libraries, or on PATH."""
    libraries = folder()
    beside = [parent / "bin" / name for parent in list(libraries.parents)[:2]] if libraries else []
    return next((str(path) for path in beside if os.access(path, os.X_OK)), None) or shutil.which(name)


def open_library(name: str) -> ctypes.CDLL:
    """Opens one of XSched's libraries, once. OSError, with a sentence, if it cannot be had."""
    if name in _opened:
        return _opened[name]
    path = str(_file(folder(), name) or name + VERSION)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise OSError(f"XSched's {name} cannot be loaded ({error}): install XSched, or put the folder of its libraries "
                      "into LD_LIBRARY_PATH") from error
    return _opened.setdefault(name, library)
