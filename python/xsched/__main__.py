"""python -m xsched run [options] script.py [arguments]: a Python program under XSched, by `xcli run`.

With -m MODULE or -c COMMAND in place of the script, as with python itself. The interpreter is the one that runs this.
The options are those of `xcli run`, which gets them as they are."""
import os
import re
import subprocess
import sys
from typing import Dict, List, NoReturn, Optional, Tuple

from . import __version__, _libraries

USAGE = "usage: python -m xsched run [options of xcli run] (script.py | -m module | -c command) [arguments]"


def fail(sentence: str) -> NoReturn:
    sys.stderr.write(f"python -m xsched: {sentence}\n")
    sys.exit(2)


def xcli() -> str:
    path = _libraries.tool("xcli")
    if path is None:
        fail("xcli is found neither beside XSched's libraries nor on PATH: install XSched, or put the folder of its "
             "libraries into LD_LIBRARY_PATH")
    return path


def help_of_run() -> str:
    done = subprocess.run([xcli(), "run", "--help"], stdout=subprocess.PIPE, check=False, timeout=30, encoding="utf-8")
    return done.stdout


def options_of_run(text: str) -> Dict[str, bool]:
    """Returns the options in a help text, and whether a value follows each. Lines are like
    "  -p,     --priority INT ...   sentence"."""
    found: Dict[str, bool] = {}
    for line in text.splitlines():
        match = re.match(r"\s+((?:-\w,\s*)?--?[\w-]+)(.*)", line)
        if match:
            for name in re.findall(r"--?[\w-]+", match.group(1)):
                found[name] = re.match(r" [A-Z]+(?![a-z:])", match.group(2)) is not None  # its type, not "Excludes:"
    return found


def split(words: List[str], options: Dict[str, bool]) -> Tuple[List[str], List[str]]:
    """xcli's options, and the words for Python. -m and -c are Python's."""
    i = 0
    while i < len(words):
        name = words[i].split("=", 1)[0]
        if name in options and name not in ("-m", "-c"):
            i += 2 if options[name] and "=" not in words[i] else 1
        elif len(words[i]) > 2 and options.get(words[i][:2]) and words[i][1] not in "-mc":  # -p5
            i += 1
        elif re.match(r"--[a-z]", words[i]):  # xcli says what is wrong with it
            return words, []
        else:
            break
    rest = words[i:]
    ours = [re.sub(r"^(-\w)=", r"\1", word) for word in words[:i]]  # -p=5, as argparse takes it
    return ours, rest[1:] if rest[:1] == ["--"] else rest


def run(words: List[str]) -> NoReturn:
    """Becomes the program. Ends with status 2 and a sentence if that cannot be."""
    path = xcli()
    ours, python = split(words, options_of_run(help_of_run()))
    if any(word in ("-h", "--help") for word in ours):
        print(USAGE + "\n\n" + help_of_run(), end="")
        sys.exit(0)
    if not python and len(ours) == len(words) and not ours:
        fail("say which script: " + USAGE)
    program = ["--", sys.executable, *python] if python else []
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(path, [path, "run", *ours, *program])


def main(arguments: Optional[List[str]] = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["run"]:
        run(words[1:])
    if words[:1] == ["--version"]:
        print(f"xsched {__version__}")
        return 0
    if words[:1] in (["-h"], ["--help"]):
        print(USAGE + "\n\npython -m xsched run --help has the options.")
        return 0
    fail(f"say what to do: {USAGE}")


if __name__ == "__main__":
    sys.exit(main())
