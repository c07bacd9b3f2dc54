#!/usr/bin/env python3
"""A new hint is one row of src/base/hints.def, its declaration in xsched/hint.h and its use in a policy: with a row
more a scratch copy of the sources has it everywhere. And no other source file names one."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPILER = sys.argv.pop(1) if len(sys.argv) > 1 else "c++"
TABLE = "src/base/hints.def"
ROW = """XSCHED_HINT(probe_us, int64_t, kNumber, 0, 1000, 7, kTighter,
            kQueue, XHintProbe, 0, 1000,
            "XSCHED_AUTO_XQUEUE_PROBE", "probe_us", "probe_us", "--probe", kPolicies,
            "microseconds that a test needs")
"""
DECLARATION = "XResult XHintProbe(XQueueHandle xq, int64_t us);\n"
USE = """
#include "dispatch/slot_reader.h"
#include "base/options.h"
#include "ipc/slot_hints.h"
#include "policy/policy.h"
#include "queue/xqueue.h"
using namespace xsched;
static_assert(sizeof(ipc::QueueSlot) == 512, "a slot is full: the next hint makes it twice as large");
int64_t use(const policy::Unit& unit, const queue::Setup& setup, const ipc::QueueSlot& slot,
            const dispatch::QueueNumbers& numbers) {
    return unit.probe_us + setup.probe_us + slot.probe_us + numbers.probe_us + base::options().probe_us;
}
"""
TOUCHED = [  # read as one file, since their headers take longest
    "base/options.cpp", "agent/hint_api.cpp", "dispatch/slot_reader.cpp", "server/tools/tool_commands.cpp"]

# Places that may name any hint: where hints are used, and where the functions are that set several hints, or hints of
# the process. Slurm and Kubernetes have options of their own names for a few. Some hints have no effect beside others.
USERS = ("src/policy/", "src/sched/", "src/sim/", "src/agent/hint_api.cpp", "src/server/loaded_policy.cpp",
         "src/slurm/job_options.", "src/kubernetes/parameters.", "src/config/contradictions.")
# More places that may name a certain hint, and the reasons. The dispatcher wakes when an announced time is over.
# A limit is also a user's and a command of xcli, and shares are shown beside what was got; periods, deadlines and gangs
# have columns. Latency targets have one in xcli top, whose answers the server makes; xcli admit promises them, explain
# advises one that can be met, and the dispatcher counts what is late.
# Rules for a process's memory are obeyed where that is moved and counted. Slurm's plugin watches evictable steps alone.
# A program in the background is less urgent than the least priority, and Vulkan, Level Zero and people are told so. A
# report's key of that name has the command beside the urgent one. A utilization is shown where shares are, under the
# policy that reads it instead.
# LAX's priorities are limited as a priority is, and explain tells by its hints whether a program is ranked by its
# priority, and whether a burst is still announced. `xcli windows` gives one hint alone, and an explanation has its
# name.
ALSO = {"expect_ns": ("src/dispatch/", "src/cli/explain/held_causes.cpp"),
        "window": ("src/cli/windows.cpp", "src/cli/explain/explained.cpp"),
        **dict.fromkeys(("period_us", "deadline_us"), "src/cli/"),
        "slo_p99": ("src/cli/admit/", "src/cli/explain/urgency.cpp", "src/cli/top/", "src/dispatch/client_",
                    "src/server/tools/"),
        "lax_priority": "src/dispatch/client_limits.cpp",
        "laxity_us": "src/cli/explain/urgency.cpp",
        "critical_priority": ("src/dispatch/client_limits.cpp", "src/cli/explain/urgency.cpp"),
        "utilization": "src/cli/hint_facts.cpp",
        "background": ("src/cli/report.cpp", "src/cli/explain/urgency.cpp", "src/cli/hint_facts.cpp",
                       "src/cli/ignored.cpp", "src/cli/steer.cpp", "src/config/ignored.cpp", "src/dispatch/",
                       "src/platform/levelzero/", "src/platform/vulkan/", "src/server/tools/"),
        **dict.fromkeys(("share", "limit", "gang"),
                        ("src/cli/", "src/config/", "src/server/", "src/dispatch/", "src/slurm/",
                         "src/kubernetes/")),
        **dict.fromkeys(("evictable", "memory_limit", "memory_guarantee"),
                        ("src/queue/memory/", "src/platform/stream/shim/memory/", "src/cli/", "src/server/", "src/ipc/",
                         "src/base/memory_stays.h", "src/slurm/"))}
HOLDERS = r"(?:slot(?:\(\))?|unit|numbers|hints|setup_?|options(?:\(\))?|HintId)(?:\.|->|::)"


def hints():
    """[(field, name in requests or None, name in lists or None)]"""
    rows = re.findall(r"^XSCHED_HINT\((\w+),.*?\n.*?\n\s*[^,]+, ([^,]+), ([^,]+),", (ROOT / TABLE).read_text(), re.M)
    return [(field, *(re.sub('"', "", one) if '"' in one else None for one in names)) for field, *names in rows]


class NewHint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for part in ("src", "include"):
            shutil.copytree(ROOT / part, self.root / part)
        options = sorted((self.root / "src/platform").glob("*/options.def"))
        (self.root / "platform_options.def").write_text("".join(each.read_text() for each in options))
        self.append(TABLE, ROW)

    def append(self, file, text):
        path = self.root / file
        path.write_text(path.read_text() + text)

    def declare(self):
        header = self.root / "include/xsched/hint.h"
        before = "XResult XHintKDeadline("
        header.write_text(header.read_text().replace(before, DECLARATION + before))

    def compile(self, file):
        return subprocess.run([COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror",
                               "-fsyntax-only", '-DXSCHED_VERSION="0"', '-DXSCHED_LIBRARIES="lib"', "-I", "src",
                               "-I", "include", "-I", ".", file],
                              cwd=self.root, capture_output=True, text=True, timeout=240)

    def test_one_row_is_enough(self):
        self.declare()
        (self.root / "use.cpp").write_text("".join(f'#include "{file}"\n' for file in TOUCHED) + USE)
        done = self.compile("use.cpp")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_function_that_the_header_lacks_does_not_compile(self):
        done = self.compile("src/agent/hint_api.cpp")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("XHintProbe", done.stderr)


class Names(unittest.TestCase):
    def test_rows_are_found(self):
        self.assertIn(("expect_ns", "expect_us", "expect_in_us"), hints())
        self.assertIn(("lax_priority", "lax_priority", "lax_priority"), hints())
        text = (ROOT / TABLE).read_text()
        self.assertEqual(len(hints()), len(re.findall(r"^XSCHED_HINT\(", text, re.M)))

    def test_no_other_source_file_names_a_hint(self):
        named = {name: field for field, *names in hints() for name in (field, *names) if name}
        fields = "|".join(field for field, *_ in hints())
        pattern = re.compile(rf'{HOLDERS}({fields})\b|"({"|".join(named)})"')
        for path in sorted((ROOT / "src").rglob("*")):
            file = str(path.relative_to(ROOT))
            if path.suffix not in (".cpp", ".h", ".def", ".inc") or file == TABLE or file.startswith(USERS):
                continue
            text = path.read_text()
            for found in pattern.finditer(text):
                field = found[1] or named[found[2]]
                if field == "priority" or file.startswith(ALSO.get(field, "/")):  # units are told apart by priority
                    continue
                number = text.count("\n", 0, found.start()) + 1
                self.fail(f"{file}:{number} names the hint {field}: it should come from {TABLE}")

    def test_its_functions_are_declared_and_in_python(self):
        header = (ROOT / "include/xsched/hint.h").read_text()
        bindings = (ROOT / "python/xsched/_bindings.py").read_text()
        for function in re.findall(r"\bk(?:Queue|Process|Joint), (XHint\w+)", (ROOT / TABLE).read_text()):
            self.assertIn(f"XResult {function}(", header)
            self.assertIn(f'"{function}": [', bindings)


if __name__ == "__main__":
    unittest.main()
