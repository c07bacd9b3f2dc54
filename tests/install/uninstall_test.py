#!/usr/bin/env python3
"""Uninstalling removes what was installed and nothing else, and where nothing can be installed a sentence says why."""
import os
import tempfile
import unittest
from pathlib import Path

from installed import GIVEN, ROOT, attempt, install, main, tool, uninstall

CHECK = ROOT / "scripts" / "check_install_path.sh"


class Uninstall(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.prefix = self.folder / "prefix"

    def remove(self, **environment):
        done = uninstall(self.prefix, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_nothing_is_left(self):
        install(self.prefix)
        tool("python3", "-c", "import xsched.cuda", PYTHONDONTWRITEBYTECODE="",
             PYTHONPATH=self.prefix / "lib" / "python3" / "dist-packages")
        self.assertTrue(list(self.prefix.rglob("*.pyc")))
        self.assertIn("files of XSched from", self.remove())
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_after_installing_twice_nothing_is_left(self):
        install(self.prefix)
        install(self.prefix)
        self.remove()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_was_there_before_and_what_came_later_stays(self):
        before = self.prefix / "lib" / "pkgconfig"
        before.mkdir(parents=True)
        install(self.prefix)
        later = [self.prefix / "include" / "xsched" / "mine.h", self.prefix / "bin" / "mine"]
        for file in later:
            file.write_text("mine\n")
        self.remove()
        kept = {before, *later}
        kept |= {folder for path in kept for folder in path.parents if self.prefix in folder.parents}
        self.assertEqual(set(self.prefix.rglob("*")), kept)

    def test_a_staged_tree(self):
        install("/opt/xsched", DESTDIR=self.folder)
        done = uninstall("/opt/xsched", DESTDIR=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path for path in self.folder.rglob("*") if path.name == "xsched"], [])

    def test_a_moved_tree(self):
        install(self.folder / "first")
        (self.folder / "first").rename(self.prefix)
        self.remove()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_where_nothing_is_installed_it_says_so(self):
        done = uninstall(self.prefix)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("XSched is not installed there", " ".join(done.stderr.split()))

    def test_the_link_that_led_every_program_to_an_earlier_shim_is_removed(self):
        lib = self.prefix / "lib"
        lib.mkdir(parents=True)
        (lib / "libcuda.so.1").symlink_to("libshimcuda.so")
        self.assertIn(f"Removed {lib / 'libcuda.so.1'}", install(self.prefix))
        self.assertFalse((lib / "libcuda.so.1").is_symlink())
        (lib / "libcuda.so.1").symlink_to("libcuda.so.535.1")  # the vendor's own
        install(self.prefix)
        self.assertTrue((lib / "libcuda.so.1").is_symlink())


class Path_(unittest.TestCase):
    def refused(self, path, reason, **environment):
        done = attempt(CHECK, path, **environment)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertTrue(done.stderr.startswith(f"INSTALL_PATH=\"{path}\": "), done.stderr)
        self.assertIn(reason, done.stderr)

    def test_paths_that_nothing_can_be_installed_to(self):
        self.refused("", "say where to install")
        self.refused("~/xsched", "has not replaced the ~")
        self.refused("xsched", "no absolute path")
        self.refused("/", "the root folder")
        self.refused("/tmp/my programs", "a space or colon")
        self.refused("/tmp/a:b", "a space or colon")
        self.refused(f"{CHECK}/x", "check_install_path.sh is a file")
        self.refused("/proc/1/x" if os.getuid() == 0 else "/usr", "may not be written")

    def test_paths_that_are_fine(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(attempt(CHECK, folder).returncode, 0)
            self.assertEqual(attempt(CHECK, f"{folder}/a/b/c").returncode, 0)
            self.assertEqual(attempt(CHECK, "/opt/x", DESTDIR=f"{folder}/stage").returncode, 0)

    def test_make_refuses_before_it_builds(self):
        done = attempt("make", "-C", ROOT, "install", "INSTALL_PATH=")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("say where to install", done.stderr)
        self.assertTrue(GIVEN.build.is_dir())

    def test_platforms_that_there_are_not_are_not_offered(self):
        self.assertNotIn("cudla", tool("make", "-C", ROOT, "help"))
        self.assertIn("No rule to make target", attempt("make", "-C", ROOT, "cudla").stderr)


if __name__ == "__main__":
    main()
