#!/usr/bin/env python3
"""The recipes of CONTRIBUTING.md, applied to a scratch copy of the sources: the files that a recipe names are enough.
Little is compiled, so that this takes seconds. The recipe for a hint has a test of its own (new_hint_test.py)."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPILER = sys.argv.pop(1) if len(sys.argv) > 1 else "c++"
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

XSCHED_POLICY(Probe, "PROBE", kPolicyUnknown, "everybody runs");

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
MECHANISM = 'XSCHED_MECHANISM(kProbe, 8, kPreemptLevelDeactivate, of_probe, "a probe")\n'
MECHANISM_COST = "inline int64_t of_probe(const Victim&) { return kNever; }\n"
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
        for part in ("src", "include", "api", "tools"):
            shutil.copytree(ROOT / part, self.root / part)

    def run_in_copy(self, *command):
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def build(self, *files):
        self.run_in_copy(COMPILER, "-std=c++20", "-O0", "-I", "src", "-I", "include", "-o", "program", *files)
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
        sources = [str(path) for path in sorted((self.root / "src/policy").rglob("*.cpp"))]
        self.assertIn("PROBE PROBE\n", self.build("use.cpp", *sources))

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

    def test_a_mechanism_is_one_row_and_its_cost(self):
        text = recipe("Add a mechanism")
        self.assertIn("src/sched/facts/mechanism.def", text)
        self.assertIn("src/sched/mechanism/mechanism_costs.h", text)
        table = self.root / "src/sched/facts/mechanism.def"
        table.write_text(table.read_text() + MECHANISM)
        self.insert("src/sched/mechanism/mechanism_costs.h", MECHANISM_COST, "int64_t of_gate(const Victim& victim);")
        (self.root / "use.cpp").write_text(USE_OF_MECHANISM)
        built = self.build("use.cpp", "src/sched/facts/mechanism.cpp", "src/sched/mechanism/mechanism_costs.cpp")
        self.assertEqual(built, "a probe\n")

    def test_every_file_that_a_recipe_names_exists(self):
        folders = "src|api|tests|tools|include|docs|bench|python|scripts"
        for name in sorted(set(re.findall(rf"`((?:{folders})/[^`*]*)`", RECIPES))):
            if "<" not in name:
                self.assertTrue(list(ROOT.glob(name + "*")), f"CONTRIBUTING.md names {name}")


if __name__ == "__main__":
    unittest.main()
