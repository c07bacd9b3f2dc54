"""XSched as the requirements' documents build and install it, word for word, and what is installed on a version's
runtime."""
import functools
import os
import shutil
import signal
import subprocess
from pathlib import Path

import room
from demands import SECONDS, Failed, demand
from documents import TOP, wrong_in_calls

# The documented commands, run in a new folder inside the source tree. {prefix} is the folder to install into, which the
# user chooses.
COMMANDS = ["cmake .. -DCMAKE_BUILD_TYPE=RelWithDebInfo -DXSCHED_PLATFORM=hip -DCMAKE_INSTALL_PREFIX={prefix}",
            "make", "make install"]
LIBRARIES = ["libpreempt.so", "libhalhip.so", "libshimhip.so"]
BUILDING_SECONDS = 1200  # each command; the documents ask for 300 on a machine that nothing else uses


def copy_sources(target):
    """Copies what belongs to this tree: a user has no build."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=TOP, text=True, check=True,
                            capture_output=True).stdout
    shutil.rmtree(target, ignore_errors=True)
    for name in filter(None, listed.split("\0")):
        if (TOP / name).is_symlink() or (TOP / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, target / name, follow_symlinks=False)
    return target


def do(command, folder):
    done = subprocess.Popen(command.split(), cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            env={**os.environ, "MAKEFLAGS": f"-j{os.cpu_count()}"}, start_new_session=True)
    try:
        said, _ = done.communicate(timeout=BUILDING_SECONDS)
    except subprocess.TimeoutExpired as late:
        os.killpg(done.pid, signal.SIGKILL)  # with all that make has started
        raise Failed(f"{command}: it took more than {BUILDING_SECONDS} s") from late
    demand(done.returncode == 0, f"{command}: {said[-2000:]}")


@functools.cache
def build(folder):
    """Builds one installation for programs of both versions. Returns its place and where `make hip` installs."""
    sources = copy_sources(folder / "sources")
    prefix = folder / "installed"
    shutil.rmtree(prefix, ignore_errors=True)
    (sources / "build").mkdir()
    for command in COMMANDS:
        do(command.format(prefix=prefix), sources / "build")
    do("make hip", sources)
    return prefix, sources / "output"


def has_libraries(place):
    missing = [name for name in LIBRARIES if not (place / "lib" / name).exists()]
    demand(not missing, f"{place}/lib has no {', '.join(missing)}")


class Installed:
    """That check of class Checks."""

    def run_with(self, place):
        """The documents' test 1.3 with the libraries of a place, preloaded and with xcli."""
        has_libraries(place)
        there = room.Room(self.root, (place / "lib").resolve().parent, self.room.emulator)
        words = [f"{self.compiled_documents()}/examples/documents/test_1_3_api_coverage"]
        ways = {"preloaded": (words, {"preload": True, "XSCHED_SCHEDULER": "local"}, "using local scheduler"),
                "xcli run": (["xcli", "run", "--", *words], {}, "using global scheduler")}
        for name, (program, how, scheduler) in ways.items():
            ended = there.run(program, SECONDS, XLOG_LEVEL="DEBG", **how)
            wrong = wrong_in_calls(ended, True)
            demand(not wrong and scheduler in ended.output, f"{place}, {name}: {wrong or ended.output[-1500:]}")

    def installed(self):
        """The documents' CMake lines, and `make hip`."""
        self.compiled_documents()  # skipped without a clang, before anything is built
        places = build(Path(self.folder) / "from_sources")
        for place in places:
            self.run_with(place)
        return f"{'; '.join(COMMANDS)}; make hip: test 1.3 runs with {' and '.join(LIBRARIES)} of both"
