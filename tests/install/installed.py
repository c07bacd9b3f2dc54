"""The common part of the tests of an installation: a tree installed from the given build, and tools over it."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60
GIVEN = argparse.Namespace()  # the command line


def tool(*command, **environment):
    """The output of a command that must succeed."""
    done = attempt(*command, **environment)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def attempt(*command, folder=None, **environment):
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("XSCHED_", "XLOG_", "LD_", "OPENCL_LAYERS", "DESTDIR", "PYTHONPATH", "MAKE"))}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=SECONDS, cwd=folder,
                          env={**clean, **{name: str(value) for name, value in environment.items()}})


def install(prefix, *options, **environment):
    return tool("cmake", "--install", GIVEN.build, "--prefix", prefix, *options, **environment)


def uninstall(prefix, **environment):
    return attempt("cmake", f"-DPREFIX={prefix}", "-P", ROOT / "cmake" / "uninstall" / "remove.cmake", **environment)


def dynamic(library, tag):
    """The values of a tag in a library's dynamic section: SONAME, NEEDED, AUXILIARY."""
    return re.findall(rf"\({tag}\).*\[(.*)\]", tool("readelf", "-dW", library))


class InATree(unittest.TestCase):
    """One installation, which the tests of the class share and do not change."""
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        install(cls.prefix, "--strip")

    @property
    def lib(self):
        return self.prefix / "lib"

    def compile(self, name, source, *options):
        """A program, or with -shared a library, in the class's folder."""
        text = self.folder / (name + ".c")
        text.write_text(source)
        tool("cc", "-Wall", "-Werror", text, "-o", self.folder / name, *options)
        return self.folder / name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True, help="the build tree that is installed")
    parser.add_argument("--driver", type=Path, required=True, help="libfakecuda.so")
    _, rest = parser.parse_known_args(namespace=GIVEN)
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
