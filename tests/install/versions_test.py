#!/usr/bin/env python3
"""All that is installed tells the same version: that of the build's project."""
import re
import shutil
import unittest

from installed import ROOT, InATree, main, tool

VERSION = re.search(r"^project\(xsched VERSION (\S+) ", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
SAID = re.compile(rf"(?<![\d.]){re.escape(VERSION)}(?![\d.])")


class Versions(InATree):
    def test_the_programs(self):
        for program in ("xcli", "xserver", "xsim"):
            with self.subTest(program):
                self.assertRegex(tool(self.prefix / "bin" / program, "--version"), SAID)

    def test_the_page_of_xcli(self):
        self.assertRegex((self.prefix / "share" / "man" / "man1" / "xcli.1").read_text().splitlines()[0], SAID)

    def test_the_python_package(self):
        package = self.prefix / "lib" / "python3" / "dist-packages"
        said = tool("python3", "-m", "xsched", "--version", PYTHONPATH=package, LD_LIBRARY_PATH=self.lib)
        self.assertEqual(said.split(), ["xsched", VERSION])

    def test_pkg_config(self):
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        files = sorted((self.lib / "pkgconfig").glob("*.pc"))
        self.assertGreater(len(files), 1)
        for file in files:
            with self.subTest(file.name):
                said = tool("pkg-config", "--modversion", file.stem, PKG_CONFIG_PATH=file.parent)
                self.assertEqual(said.strip(), VERSION)

    def test_the_cmake_package(self):
        said = (self.lib / "cmake" / "xsched" / "xsched-config-version.cmake").read_text()
        self.assertEqual(re.search(r'set\(PACKAGE_VERSION "([^"]*)"\)', said).group(1), VERSION)


if __name__ == "__main__":
    main()
