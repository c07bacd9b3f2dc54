"""One program of the matrix: what it needs, how it is started, and what of its output may differ from run to run."""
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

CLIENTS = Path(__file__).resolve().parent / "clients"
NEED_GPU = Path(__file__).resolve().parents[3] / "scripts" / "need_gpu"


@dataclass(frozen=True)
class Mask:
    """Text that matches this in the output is not compared."""
    pattern: str
    why: str


TIMES = Mask(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?", "a time or a speed")


def place(text, home, tools):
    return text.format(clients=CLIENTS, home=home, outside=tools.outside, build=tools.build)


@dataclass(frozen=True)
class Row:
    """In `command`, `make` and `variables` {clients} stands for the folder of our own clients, {home} for the row's own
    home, {outside} for the folder of programs built outside the tree (--outside), {build} for the build."""
    name: str
    command: tuple
    packages: tuple = ()    # Debian's, for the versions; scripts/install_deps.sh matrix installs them
    needs: tuple = ()       # besides the command: programs, or files
    modules: tuple = ()     # of Python, which the command begins with
    make: tuple = ()        # shell commands that make its inputs, once, in the folder in which it runs
    masks: tuple = ()
    unordered: str = ""     # why its lines may change places
    threads_vary: str = ""  # why the number of its threads is not compared
    files: tuple = ()       # what it writes, compared as well
    variables: dict = field(default_factory=dict)
    platform: str = "opencl"
    uses_device: bool = True  # XSched must have scheduled something of it
    seconds: int = 60       # safety: a run that takes longer is ended, and differs
    says: str = ""          # what is particular about it, for the page
    quick: bool = False     # in make test, too

    def words(self, home, tools):
        return [place(word, home, tools) for word in self.command]


def gpu_reason():
    """Why no CUDA program runs here, or None."""
    done = subprocess.run([str(NEED_GPU), "cuda", "true"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60, check=False)
    return None if done.returncode == 0 else "no NVIDIA GPU: " + (done.stdout.strip() or "its driver does not answer")


def why_not(row, tools):
    """Why this program cannot be tried here; None: it can."""
    if row.platform == "cuda" and (reason := gpu_reason()) is not None:
        return reason.removeprefix("no NVIDIA GPU: skipped: ")
    command = row.words("", tools)[0]
    needs = [place(need, "", tools) for need in row.needs]
    for need in [*([] if command.startswith("./") else [command]), *needs]:
        if shutil.which(need) is None and not Path(need).exists():
            return f"{need} is not here: " + (
                "it is built outside the tree" if str(tools.outside) in need else
                "a build with tests has it" if str(tools.build) in need else
                f"scripts/install_deps.sh matrix installs {', '.join(row.packages)}")
    for module in row.modules:
        if subprocess.run([command, "-c", f"import {module}"], capture_output=True, check=False).returncode:
            return f"{command} has no module {module}"
    return None


def of_modules(row):
    """The versions of Python's modules that no package of Debian has brought."""
    query = "import importlib, sys\nfor name in sys.argv[1:]: print(name, importlib.import_module(name).__version__)"
    if not row.modules or row.packages:
        return {}
    done = subprocess.run([row.command[0], "-c", query, *row.modules], text=True, capture_output=True, check=False)
    return dict(line.split() for line in done.stdout.splitlines())


def versions(packages):
    """Returns the version of each of the packages that is installed."""
    if not packages:
        return {}
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version} ${db:Status-Status}\n", *packages],
                          text=True, capture_output=True, check=False)
    found = [line.split() for line in done.stdout.splitlines()]
    return {words[0]: words[1] for words in found if len(words) == 3 and words[2] == "installed"}
