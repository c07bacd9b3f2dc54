#!/usr/bin/env python3
"""tools/abi/abi.py refuses what breaks programs of the last release, and takes what does not."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Interface(unittest.TestCase):
    def check(self, header="", pattern="", replacement=""):
        """Checks the headers with one change; returns the exit status and the output."""
        with tempfile.TemporaryDirectory() as folder:
            headers = Path(folder) / "include"
            shutil.copytree(ROOT / "include", headers)
            if header:
                file = headers / "xsched" / header
                text, count = re.subn(pattern, replacement, file.read_text())
                self.assertGreater(count, 0, pattern)
                file.write_text(text)
            done = subprocess.run([ROOT / "tools/abi/abi.py", "--headers", headers], text=True, stdout=subprocess.PIPE)
            return done.returncode, done.stdout

    def test_this_interface_is_compatible(self):
        status, said = self.check()
        self.assertEqual(status, 0, said)

    def test_additions_are_taken(self):
        for change in (("types.h", r"(kDeviceTypeMCA = 6)", r"\1, kDeviceTypeNew = 7"),
                       ("hint.h", r"(XResult XHintPriority\()", r"XResult XHintNew(XQueueHandle xq);\n\1")):
            status, said = self.check(*change)
            self.assertEqual(status, 0, said)

    def test_breaks_are_refused_by_name(self):
        for name, *change in (("XHintPriority", "hint.h", r"XResult XHintPriority\(.*\n", ""),
                              ("XHintPriority", "hint.h", r"Priority prio\)", "int64_t prio)"),
                              ("kDeviceTypeGPU", "types.h", r"kDeviceTypeGPU = 2", "kDeviceTypeGPU = 7")):
            status, said = self.check(*change)
            self.assertEqual((status, name in said), (1, True), said)


if __name__ == "__main__":
    if shutil.which("abidiff") is None:
        print("skipped: abigail-tools is not installed (scripts/install_deps.sh test)")
        sys.exit(77)
    unittest.main()
