#!/usr/bin/python3
"""%xsched in notebooks: with a stand-in of IPython's shell, and in IPython itself where it is installed."""
import contextlib
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(PACKAGE))
import xsched  # noqa: E402

XCLI = """#!/bin/sh
echo "xcli $*"
"""


class Shell:
    """Stands in for IPython's: keeps the magics that are registered."""
    def __init__(self):
        self.magics = {}

    def register_magic_function(self, function, magic_kind, magic_name):
        self.magics[magic_kind, magic_name] = function


class Magic(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ.update(PATH=f"{self.folder}:{before['PATH']}", LD_LIBRARY_PATH=str(self.folder))
        (self.folder / "xcli").write_text(XCLI)
        (self.folder / "xcli").chmod(0o755)
        shell = Shell()
        xsched.load_ipython_extension(shell)
        self.magic = shell.magics["line", "xsched"]

    def says(self, line):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.magic(line)
        return out.getvalue()

    def test_hints_are_for_this_process(self):
        self.assertIn(f"xcli hint {os.getpid()} --priority 10\n", self.says("priority 10"))
        self.assertIn(f"xcli hint {os.getpid()} --slo-p99 5ms\n", self.says("slo_p99 5ms"))
        self.assertIn(f"xcli hint {os.getpid()} --priority -5\n", self.says("priority -5"))

    def test_without_words_it_explains(self):
        self.assertIn(f"xcli explain {os.getpid()}\n", self.says(""))
        self.assertIn("xcli list\n", self.says("list"))

    def test_it_says_that_nothing_of_this_process_is_scheduled(self):
        self.assertIn("xcli run -- jupyter lab", self.says("priority 10"))

    def test_what_makes_no_sense_is_a_sentence(self):
        self.assertIn("%xsched HINT VALUE", self.says("priority"))
        self.assertIn("in a terminal", self.says("suspend"))
        self.assertIn("%xsched HINT VALUE", self.says("--all -p 3"))

    @unittest.skipUnless(importlib.util.find_spec("IPython"), "IPython is not installed for this Python")
    def test_in_ipython_itself(self):
        program = ("from IPython.core.interactiveshell import InteractiveShell\n"
                   "shell = InteractiveShell.instance()\n"
                   "shell.run_line_magic('load_ext', 'xsched')\n"
                   "shell.run_line_magic('xsched', 'priority 10')\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PYTHONPATH": str(PACKAGE), "IPYTHONDIR": str(self.folder)})
        self.assertIn("--priority 10", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
