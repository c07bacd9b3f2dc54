#!/usr/bin/env python3
"""Ordinary Vulkan programs under `xcli run`: XSched's layer above the real loader, on lavapipe where there is no GPU.

    vulkan_test.py --build DIR [--long]

Results are exact whatever happens to the queue, and Khronos' validation layer, which stands behind ours, is silent.
"""
import argparse
import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import scheduled_programs  # noqa: E402
from scheduled_programs import LONGEST_S, until  # noqa: E402

VALIDATION = "VK_LAYER_KHRONOS_validation"
SKIPPED = 77


class Vulkan(scheduled_programs.ScheduledPrograms):
    program = "bench/vulkan/vulkan_load"
    exact = ("exact", "6000")
    busy = ("busy", "4", "5")

    def environment_of(self, inherited):
        return {name: value for name, value in inherited.items()
                if not name.startswith("VK_") or name == "VK_ICD_FILENAMES"}

    def test_a_program_has_a_queue_of_the_device_and_counts_its_commands(self):
        program = self.start("busy", "2", "5")
        queue = until(lambda: self.queue_of(program))
        self.assertIsNotNone(queue, "the program has no queue")
        self.assertTrue(until(lambda: self.completed(program) > 3))
        self.result(program)

    def test_validation_behind_the_layer_is_silent(self):
        checked = {"VK_INSTANCE_LAYERS": VALIDATION}
        for words in (["exact", "300"], ["busy", "1", "5"]):
            self.result(self.start(*words, more=checked))

    def test_a_forked_child_has_its_own_device(self):
        program = self.start("forked", "500")
        out, errors = program.communicate(timeout=LONGEST_S)
        self.assertEqual((program.returncode, errors), (0, ""), out)
        self.assertEqual([json.loads(line)["wrong"] for line in out.splitlines()], [0, 0])

    def test_an_urgent_program_holds_the_other_one(self):
        self.an_urgent_program_holds(("busy", "6", "10"), ("busy", "2", "10"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    known, rest = parser.parse_known_args()
    Vulkan.build = known.build.resolve()
    alone = subprocess.run([Vulkan.build / Vulkan.program, "exact", "10"], capture_output=True, text=True,
                           timeout=LONGEST_S, check=False)
    if alone.returncode != 0:
        print(f"skipped: no Vulkan driver answers ({alone.stderr.strip()}); scripts/install_deps.sh test has lavapipe")
        return SKIPPED
    return unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() is False


if __name__ == "__main__":
    sys.exit(main())
