"""The programs that the requirements name, as they are, on a version's runtime: built by their own Makefiles with what
stands for hipcc (hipcc.py), natively and under the shim."""
import contextlib
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hipcc
import programs
from demands import SECONDS, Skipped, demand

TOP = programs.TOP
sys.path.insert(0, str(TOP / "tests/examples"))
from examples_test import EXAMPLES  # noqa: E402

PLACE = "documents"  # in the root folder
COMPILED = ["examples/documents", *(f"examples/Linux/{name}" for name in (
    "1_transparent_sched", "2_device_partition", "2_give_hints", "3_intra_process_sched"))]
LOCAL = "using local scheduler with policy HPF"
CALLS = 10  # that test 1.3 reports, the result among them
# A warning that the runtime itself prints when a program with streams ends, also without XSched.
RUNTIMES_OWN = "Warning: Resource leak detected by SharedSignalPool"
EXACT_MODELS = re.compile(r"^kernels: all of (\d+)$", re.M)
OF_MODELS = re.compile(r"LaunchKernel of 'spin_and_count' on stream ")
SCRIPTS = ["python", "tests/acceptance/api_calls.py", "tests/real_rocm/python", "src/platform/hip/platform.json",
           "bench/programs/busy_kernel.h"]
IN_LOG = ["streamcreate|priority", "launchkernel|kernel.*launch", "Launch|Sync|Create", "malloc|free"]
BUSY = re.compile(r"LaunchKernel of 'busy' on stream \S+ \(command \d+ created\)")
LAUNCHED = re.compile(r"LaunchKernel of '\w*add_one\w*' on stream \S+ \(command \d+ created\)")


def copy(root):
    """Installs all that the programs need from this tree."""
    folder = root / PLACE
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(TOP / "examples", folder / "examples", symlinks=True,
                    ignore=lambda _, names: [name for name in names if re.fullmatch(r"app\w*", name)])
    for name in SCRIPTS:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (TOP / name).is_dir():
            shutil.copytree(TOP / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(TOP / name, target)


def make(folder, root, libraries):
    """As a user types it, but for where XSched and hipcc are."""
    words = ["make", "-s", f"HIPCC={hipcc.__file__} {root}", f"XSCHED_INCLUDE={TOP / 'include'}",
             f"XSCHED_LIB={libraries}"] + (["hip"] if "Linux" in folder.parts else [])
    done = subprocess.run(words, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0 or done.stdout:
        raise programs.CompileError(f"{folder}: {done.stdout[-3000:]}")


@contextlib.contextmanager
def for_every_program(root, emulator):
    """Preloads the emulator for every program, also where LD_PRELOAD is overwritten (the script with the DEBUG log)."""
    file = root / "etc/ld.so.preload"
    file.write_text(f"{emulator}\n")
    try:
        yield
    finally:
        file.unlink()


def counts(output):
    """Returns the counts of run_test3_with_debug_logs.sh: {pattern: lines}"""
    return {pattern: int(number) for pattern, number in re.findall(r"^(\S+) +(\d+)$", output, re.M)}


def wrong_in_log(ended, log):
    """A sentence, or nothing."""
    found = counts(ended.output)
    none = [pattern for pattern in IN_LOG if not found.get(pattern)]
    if ended.status != 0 or none or LOCAL not in ended.output or "result right" not in ended.output:
        return f"{ended.how}, nothing of {none}: {ended.output[-1500:]}"
    return "" if BUSY.search(log) else f"no launch with its function and stream: {log[-1500:]}"


@functools.cache
def build(root, libraries):
    """All of them, in the copy. The folder in the room."""
    folder = root / PLACE
    each = {(folder / name).resolve(): folder / name for name in COMPILED}  # two names are one example
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda one: make(one, root, libraries), each.values()))
    return f"/{PLACE}"


def wrong_in_calls(ended, scheduled):
    """Returns the fault of test 1.3 as a sentence, or nothing."""
    passed, failed = ended.output.count("[PASS]"), ended.output.count("[FAIL]")
    if ended.status != 0 or passed != CALLS or failed:
        return f"{ended.how}, {passed} passed, {failed} failed: {ended.output[-1500:]}"
    if scheduled and not LAUNCHED.search(ended.output):
        return f"the shim has not seen the launch: {ended.output[-1500:]}"
    return ""


def words_of(folder, name):
    """(program and arguments, pattern of its lines) of an example."""
    program, arguments, line = EXAMPLES["2_give_hints" if name == "2_device_partition" else name]
    return [f"{folder}/examples/Linux/{name}/{program}", *arguments], line


def wrong_in_lines(ended, line, scheduled):
    """Returns an example's fault as a sentence, or nothing."""
    said = [text for text in ended.output.splitlines() if not text.startswith(("[", RUNTIMES_OWN))]
    strange = [text for text in said if not re.fullmatch(line, text)]
    if ended.status != 0 or not said or strange or "[WARN" in ended.output:
        return f"{ended.how}: {ended.output[-1500:]}"
    if scheduled != (LOCAL in ended.output):
        return f"who schedules: {ended.output[-1500:]}"
    return ""


class Documents:
    """Checks of class Checks: programs and documents."""

    def compiled_documents(self):
        if hipcc.clang() is None:
            raise Skipped(f"there is no clang {hipcc.OLDEST} or later")
        return build(self.root, self.room.build / "lib")

    def calls(self):
        """The documents' test 1.3."""
        words = [f"{self.compiled_documents()}/examples/documents/test_1_3_api_coverage"]
        under = {"XLOG_LEVEL": "DEBG", "XSCHED_SCHEDULER": "local"}
        ways = {"natively": {}, "preloaded": {"preload": True, **under}, "in its place": self.in_its_place() | under}
        for name, how in ways.items():
            wrong = wrong_in_calls(self.room.run(words, SECONDS, **how), name != "natively")
            demand(not wrong, f"{name}: {wrong}")
        return f"{CALLS} calls well " + ", ".join(ways)

    def examples(self):
        """Runs the examples under examples/Linux. The first one is an ordinary program, which runs natively as well."""
        folder = self.compiled_documents()
        names = [name.rpartition("/")[2] for name in COMPILED[1:]]
        under = {"preload": True, "XSCHED_SCHEDULER": "LCL"}
        for name, how in [(names[0], {}), *((name, under) for name in names)]:
            words, line = words_of(folder, name)
            wrong = wrong_in_lines(self.room.run(words, SECONDS, **how), line, bool(how))
            demand(not wrong, f"{name}: {wrong}")
        return f"{', '.join(names)}: built by their Makefiles, and they print what their READMEs show"

    def python(self, *words, **more):
        """The documents' programs in Python, with the package of this tree."""
        folder = f"/{PLACE}"
        return self.room.run(words, SECONDS, PYTHONPATH=f"{folder}/python:{folder}/tests/real_rocm/python",
                             PYTHONDONTWRITEBYTECODE=1, LD_LIBRARY_PATH=f"{self.room.build}/lib",
                             XSCHED_SCHEDULER="local", **more)

    def ctypes(self):
        """The C interface by ctypes and the wrappers of streams, with the shim preloaded."""
        ended = self.python("python3", f"/{PLACE}/tests/real_rocm/python/queues.py", preload=True)
        demand(ended.status == 0 and "as they should be" in ended.output, f"{ended.how}: {ended.output[-1500:]}")
        return "queues by hand, by wrappers, on two threads, and of a stream that is gone"

    def debug_log(self):
        """run_test3_with_debug_logs.sh with a program that makes all kinds of calls."""
        folder, log = f"/{PLACE}", self.root / PLACE / "debug.log"
        with for_every_program(self.root, self.room.emulator):
            ended = self.python(f"{folder}/examples/documents/run_test3_with_debug_logs.sh", "python3",
                                f"{folder}/tests/acceptance/api_calls.py", "hip", LD_PRELOAD=None,
                                SHIM=self.room.build / "lib/libshimhip.so", LOG=f"{folder}/{log.name}")
        wrong = wrong_in_log(ended, log.read_text() if log.exists() else "")
        demand(not wrong, wrong)
        return f"it counts {counts(ended.output)}"

    def phase_4(self):
        """test_phase4_dual_model.py, above what stands for PyTorch, which cannot be had for ROCm here."""
        folder, file = f"/{PLACE}", self.root / PLACE / "phase4.json"
        ended = self.python("python3", f"{folder}/examples/documents/test_phase4_dual_model.py", "--duration", 1,
                            "--output", f"{folder}/{file.name}", XLOG_LEVEL="DEBG")
        counted = EXACT_MODELS.findall(ended.output)
        demand(ended.status == 0 and len(counted) == 2 and file.exists(), f"{ended.how}: {ended.output[-1500:]}")
        found = json.loads(file.read_text())
        demand((found["test_id"], found["status"]) == ("P4", "PASS"), file.read_text())
        demand(len(OF_MODELS.findall(ended.output)) > int(counted[1]) / 2, f"unseen: {ended.output[-1500:]}")
        return f"natively and under xcli run {' and '.join(counted)} kernels, exact"
