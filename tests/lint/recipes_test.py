#!/usr/bin/env python3
"""The recipes of CONTRIBUTING.md, applied to a scratch copy of the sources: the files that a recipe names are enough.
Little is compiled, so that this takes seconds. The recipe for a hint has a test of its own (new_hint_test.py).

    recipes_test.py [COMPILER [OBJECT...]]     OBJECT: the policies of this version, as the build compiled them;
                                               without, all are compiled here"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPILER = sys.argv[1] if len(sys.argv) > 1 else "c++"
POLICIES = sys.argv[2:]
RECIPES = (ROOT / "CONTRIBUTING.md").read_text()

POLICY = """// Everybody runs.
#include "policy/policy.h"

namespace xsched::policy {
namespace {

class Probe final : public Policy {
public:
    int64_t choose(std::span<const Unit>, int64_t, std::span<Choice>) override { return 0; }
};

}  // namespace

XSCHED_POLICY(Probe, "PROBE", kPolicyUnknown, bits_of(), "everybody runs");

}  // namespace xsched::policy
"""
USE_OF_POLICY = """
#include <cstdio>
#include "policy/policy.h"
int main() {
    for (const auto& info : xsched::policy::policies()) std::printf("%s %s\\n", info.name, info.make()->name());
}
"""
ENTRY_POINTS = {  # OpenCL's types come from the vendor's headers
    "cuda": ("cuProbeAsync", '"since": "13.9", "args": "CUdeviceptr, size_t, CUstream"'),
    "hip": ("hipProbeAsync", '"since": "7.9", "args": "void*, size_t, hipStream_t"'),
    "opencl": ("clEnqueueProbe", '"since": "3.9"')}
OPTION = 'XSCHED_OPTION_INT(probe, "XSCHED_PROBE", 3, 0, 9, "", "a number that a test needs")\n'
DEBUG_OPTION = 'XSCHED_DEBUG_INT(hidden, "hidden", "XSCHED_HIDDEN", 5, 0, 9, "another one")\n'
USE_OF_OPTION = """
#include <cstdio>
#include "base/options.h"
int main() {
    std::printf("%ld %ld\\n", long(xsched::base::options().probe), long(xsched::base::options().hidden));
    for (auto* each = xsched::base::option_infos(); each->variable; ++each) std::puts(each->variable);
}
"""
RULE = 'XSCHED_RULE(kProbe, "pattern/probe.h", "999", "does what a test needs")\n'
RULE_IN_ITS_DRAWER = """// Says whether a unit is probed.
#pragma once

#include "sched/facts/rule_on.h"

namespace xsched::sched {
inline bool probes() { return rule_on(Rule::kProbe); }
}
"""
USE_OF_RULE = """
#include <cstdio>
#include <iterator>
#include "sched/facts/rule_on.cpp"
#include "sched/pattern/probe.h"
int main() {
    using namespace xsched::sched;
    const bool before = probes();
    switch_rule(Rule::kProbe, false);
    std::printf("%d %d %s\\n", before, probes(), kRules[std::size(kRules) - 1].sentence);
}
"""
DECISION = "# 999 A probe\n\n2026-11-28. Nothing was measured.\n"
FOURTH_KIND = (  # file, text, what it stands before
    ("src/sched/facts/unit.h", "    uint32_t probe = 0;\n",
     "    uint32_t gates_apart_us = 0;  //"),
    ("src/ipc/queue_slot.h", "    std::atomic<uint32_t> probe;\n", "    std::atomic<uint32_t> gates_apart_us;"),
    ("src/dispatch/client_directives.cpp", "    put(slot.probe, preemption.probe);\n",
     "    put(slot.device_timeslice_us, preemption.timeslice_us);\n"),
    ("src/queue/device.h", "    XResult (*set_probe)(void* hwq, uint32_t value);\n", "} XqStopOps;"),
    ("src/queue/stop/hardware_stop.cpp", "    if (ops().set_probe != nullptr) ops().set_probe(core_.setup.impl, us);\n",
     "    if (us == timeslice_us_ || ops().set_timeslice == nullptr) return;\n"))
USE_OF_FOURTH_KIND = """
#include "sched/facts/mechanism.h"
using xsched::sched::Mechanism;
static_assert(!xsched::sched::interrupts(Mechanism::kProbe) && xsched::sched::interrupts(Mechanism::kInterruptHeld));
"""
MECHANISM = 'XSCHED_MECHANISM(kProbe, 8, kPreemptLevelDeactivate, never, of_probe, nothing, "a probe")\n'
MECHANISM_LOSS = "inline int64_t of_probe(const Victim&) { return 0; }\n"
USE_OF_MECHANISM = """
#include <cstdio>
#include "sched/facts/mechanism.h"
int main() { std::puts(xsched::sched::mechanism_sentence(xsched::sched::Mechanism{8})); }
"""


def recipe(title):
    """The text of one recipe."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", RECIPES, re.M | re.S)
    return found.group(1) if found else ""


class Recipes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.environment = {}
        for part in ("src", "include", "api", "tools"):
            shutil.copytree(ROOT / part, self.root / part)

    def attempt_in_copy(self, *command):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("XSCHED_", "XLOG_"))}
        return subprocess.run(command, cwd=self.root, capture_output=True, text=True, timeout=240,
                              env={**environment, **self.environment})

    def run_in_copy(self, *command):
        done = self.attempt_in_copy(*command)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def refused_in_copy(self, *command):
        done = self.attempt_in_copy(*command)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.stdout + done.stderr

    def build(self, *files):
        self.run_in_copy(COMPILER, "-std=c++20", "-O0", "-fno-exceptions", "-fno-rtti", "-I", "src", "-I", "include",
                         "-o", "program", *files)
        return self.run_in_copy("./program")

    def insert(self, file, text, before):
        path = self.root / file
        whole = path.read_text()
        self.assertIn(before, whole)
        path.write_text(whole.replace(before, text + before, 1))

    def test_a_policy_is_one_folder(self):
        self.assertIn("src/policy/<name>/<name>.cpp", recipe("Add a policy"))
        (self.root / "src/policy/probe").mkdir()
        (self.root / "src/policy/probe/probe.cpp").write_text(POLICY)
        (self.root / "use.cpp").write_text(USE_OF_POLICY)
        others = POLICIES or [str(path) for path in sorted((ROOT / "src/policy").rglob("*.cpp"))]
        self.assertIn("PROBE PROBE\n", self.build("use.cpp", "src/policy/probe/probe.cpp", *others))

    def test_an_entry_point_of_a_known_shape_is_one_row(self):
        self.assertIn("api/<platform>.json", recipe("Add an entry point"))
        for api, (name, types) in ENTRY_POINTS.items():
            with self.subTest(api):
                row = f'    {{"name": "{name}", {types}, "class": "scheduled", "why": "a probe in queue order"}},\n'
                table = self.root / "api" / f"{api}.json"
                table.write_text(table.read_text().replace('"functions": [\n', '"functions": [\n' + row, 1))
                self.run_in_copy(sys.executable, "-B", "tools/codegen/generate.py", f"api/{api}.json", "--out",
                                 f"generated/{api}", "--coverage", f"{api}.md")
                generated = self.root / "generated" / api
                for file in ("trampolines.S", "entry_points.inc"):
                    self.assertIn(name, (generated / file).read_text(), file)
                self.assertEqual("args" in types, name in (generated / "functions.inc").read_text())
                hooked = [line for line in (generated / "entry_points.inc").read_text().splitlines() if name in line]
                self.assertTrue(any("scheduled" in line for line in hooked), hooked)
                self.assertIn(name, (self.root / f"{api}.md").read_text())

    def test_a_mechanism_is_one_row_and_its_losses(self):
        text = recipe("Add a mechanism")
        self.assertIn("src/sched/facts/mechanism.def", text)
        self.assertIn("src/sched/mechanism/losses.h", text)
        table = self.root / "src/sched/facts/mechanism.def"
        table.write_text(table.read_text() + MECHANISM)
        self.insert("src/sched/mechanism/losses.h", MECHANISM_LOSS, "int64_t behind_gate(const Victim& victim);")
        (self.root / "use.cpp").write_text(USE_OF_MECHANISM)
        built = self.build("use.cpp", "src/sched/facts/mechanism.cpp", "src/sched/mechanism/losses.cpp")
        self.assertEqual(built, "a probe\n")

    def test_an_option_is_one_row(self):
        self.assertIn("src/base/options.def", recipe("Add an option"))
        self.insert("src/base/options.def", OPTION + DEBUG_OPTION, "#include \"platform_options.def\"")
        rows = [path.read_text() for path in sorted((self.root / "src/platform").glob("*/options.def"))]
        (self.root / "src/platform_options.def").write_text("".join(rows))
        room = "".join(f'#include "base/{path.name}"\n' for path in sorted((self.root / "src/base").glob("*.cpp")))
        (self.root / "use.cpp").write_text(room + USE_OF_OPTION)  # one file, as the build does: a third of the time
        said = self.build("use.cpp").splitlines()
        self.assertEqual(said[0], "3 5")
        self.assertIn("XSCHED_PROBE", said)
        self.assertNotIn("XSCHED_HIDDEN", said)
        self.environment = {"XSCHED_PROBE": "4", "XSCHED_DEBUG": "hidden=6"}
        self.assertIn("4 6\n", self.run_in_copy("./program"))

    def test_a_rule_is_a_row_and_its_use_in_a_drawer(self):
        self.assertIn("src/sched/facts/rules.def", recipe("Add a rule"))
        table = self.root / "src/sched/facts/rules.def"
        table.write_text(table.read_text() + RULE)
        rule = self.root / "src/sched/pattern/probe.h"
        rule.write_text(RULE_IN_ITS_DRAWER)
        (self.root / "use.cpp").write_text("#define XSCHED_RULE_SWITCHES\n" + USE_OF_RULE)
        self.assertEqual(self.build("use.cpp"), "1 0 does what a test needs\n")
        (self.root / "use.cpp").write_text(USE_OF_RULE)
        self.assertEqual(self.build("use.cpp"), "1 1 does what a test needs\n", "only a test build turns rules off")
        lint = (sys.executable, "-B", "tools/lint/run.py", "include_rules", "--root", ".")
        self.run_in_copy(*lint)
        rule.write_text(RULE_IN_ITS_DRAWER.replace("sched/facts/rule_on.h", "sched/core/core.h"))
        self.assertIn("src/sched/pattern/probe.h", self.refused_in_copy(*lint))

    def test_a_decision_has_a_line_in_the_index(self):
        self.assertIn("docs/decisions/README.md", recipe("Add a rule"))
        shutil.copytree(ROOT / "docs", self.root / "docs")
        shutil.copytree(ROOT / "tests/docs", self.root / "tests/docs")
        index = (sys.executable, "-B", "tests/docs/decisions_test.py")
        self.run_in_copy(*index)
        (self.root / "docs/decisions/999-a-probe.md").write_text(DECISION)
        self.assertIn("999-a-probe.md", self.refused_in_copy(*index))
        with (self.root / "docs/decisions/README.md").open("a") as page:
            page.write("| [999](999-a-probe.md) | A probe | in force | 2026-11-28 |\n")
        self.run_in_copy(*index)

    def test_a_mechanism_of_a_fourth_kind_goes_the_way_of_the_timeslice(self):
        text = recipe("Add a mechanism of a fourth kind")
        for file, added, before in FOURTH_KIND:
            self.assertIn(f"`{file}`", text)
            self.insert(file, added, before)
        table = self.root / "src/sched/facts/mechanism.def"
        table.write_text(table.read_text() + MECHANISM)
        whole = "mechanism >= Mechanism::kInterrupt"
        self.insert("src/sched/facts/mechanism.h", "mechanism <= Mechanism::kInterruptAnnounced && ", whole)
        (self.root / "use.cpp").write_text(USE_OF_FOURTH_KIND)
        rows = [path.read_text() for path in sorted((self.root / "src/platform").glob("*/options.def"))]
        (self.root / "src/platform_options.def").write_text("".join(rows))
        for file in ("use.cpp", "src/dispatch/client_directives.cpp", "src/queue/stop/hardware_stop.cpp"):
            self.run_in_copy(COMPILER, "-std=c++20", "-fsyntax-only", "-I", "src", "-I", "include", file)

    def test_every_file_that_a_recipe_names_exists(self):
        folders = "src|api|tests|tools|include|docs|bench|python|scripts"
        for name in sorted(set(re.findall(rf"`((?:{folders})/[^`*]*)`", RECIPES))):
            if "<" not in name:
                self.assertTrue(list(ROOT.glob(name + "*")), f"CONTRIBUTING.md names {name}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
