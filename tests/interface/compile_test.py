#!/usr/bin/python3
"""The public headers as other people's compilers see them: C and C++, gcc and clang, old and new standards, with every
warning, alone and after the vendors' own headers."""
import argparse
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"
C_COMPILERS, CXX_COMPILERS = ("gcc", "clang", "clang-19"), ("g++", "clang++", "clang++-19")
C_STANDARDS, CXX_STANDARDS = ("c99", "c11", "gnu17"), ("c++11", "c++17", "c++20")
# -Wstrict-prototypes exists for C alone.
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror"]
GIVEN = None  # the command line
# Standards of C in which a type may not be declared twice, not even in the same way. Including our header after the
# vendor's own is not tested there.
TWICE = {"c99"}


def compilers():
    for names, standards, language in ((C_COMPILERS, C_STANDARDS, "c"), (CXX_COMPILERS, CXX_STANDARDS, "c++")):
        for name in names:
            if shutil.which(name):
                yield from ((name, standard, language) for standard in standards)


def compile_it(compiler, standard, language, source, *options):
    return subprocess.run([compiler, "-fsyntax-only", f"-std={standard}", "-x", language, *WARNINGS, f"-I{INCLUDE}",
                           *options, str(source)], capture_output=True, text=True, timeout=120)


class Compile(unittest.TestCase):
    def setUp(self):
        self.options = ["-DWITH_OPENCL", "-DCL_TARGET_OPENCL_VERSION=300"] if GIVEN.opencl else []

    def test_there_are_compilers_of_both_languages(self):
        self.assertEqual({language for _, _, language in compilers()}, {"c", "c++"})

    def test_every_name_of_the_interface(self):
        for compiler, standard, language in compilers():
            with self.subTest(compiler=compiler, standard=standard):
                for source in ("everything.c", "missing_devices.c"):
                    done = compile_it(compiler, standard, language, HERE / source, *self.options)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_header_alone(self):
        """Each includes what it needs."""
        headers = sorted(path.relative_to(INCLUDE) for path in INCLUDE.rglob("*.h"))
        self.assertGreater(len(headers), 8)
        with tempfile.TemporaryDirectory() as folder:
            for header in headers:
                if header.parts[1] == "opencl" and not GIVEN.opencl:
                    continue
                source = Path(folder) / "alone.c"
                source.write_text(f'#include "{header}"\n#include "{header}"\nint main(void) {{ return 0; }}\n')
                for compiler, standard, language in (("gcc", "c99", "c"), ("g++", "c++11", "c++")):
                    with self.subTest(header=str(header), compiler=compiler):
                        done = compile_it(compiler, standard, language, source)
                        self.assertEqual(done.returncode, 0, done.stderr)

    def test_after_the_vendors_own_header(self):
        if not GIVEN.vendor_header:
            self.skipTest("no vendor's header is installed")
        for compiler, standard, language in compilers():
            if standard in TWICE:
                continue
            with self.subTest(compiler=compiler, standard=standard):
                folder = Path(GIVEN.vendor_header).parent
                done = compile_it(compiler, standard, language, HERE / "everything.c", "-DWITH_VENDOR_HEADERS_FIRST",
                                  f'-DVENDOR_HEADER="{GIVEN.vendor_header}"', "-isystem", str(folder), *self.options)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--opencl", action="store_true", help="the OpenCL headers are installed")
    parser.add_argument("--vendor-header", help="a vendor's header to include first")
    GIVEN = parser.parse_args()
    unittest.main(argv=sys.argv[:1])
