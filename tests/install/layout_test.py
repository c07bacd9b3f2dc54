#!/usr/bin/env python3
"""Which files an installation has, and under which names and versions its libraries are known."""
import os
import platform as machine
import re
import unittest

from installed import ROOT, InATree, attempt, dynamic, install, main, tool

PLATFORMS = tuple(path.parent.name for path in ROOT.glob("src/platform/*/platform.json"))
PUBLIC = ["libpreempt", *(f"libhal{platform}" for platform in PLATFORMS)]


class Layout(InATree):
    def test_public_libraries_have_a_version(self):
        for name in PUBLIC:
            with self.subTest(name):
                self.assertEqual(dynamic(self.lib / f"{name}.so", "SONAME"), [f"{name}.so.1"])
                self.assertTrue((self.lib / f"{name}.so.1").is_symlink())
                self.assertTrue((self.lib / f"{name}.so").resolve().name.startswith(f"{name}.so.1."))
                self.assertEqual((self.lib / f"{name}.so").resolve().parent, self.lib.resolve())

    def test_shims_are_apart_and_have_their_documented_names(self):
        for platform in PLATFORMS:
            with self.subTest(platform):
                name = f"libshim{platform}.so"
                self.assertFalse((self.lib / "xsched" / name).is_symlink())
                self.assertEqual((self.lib / name).readlink().as_posix(), f"xsched/{name}")
                self.assertEqual(dynamic(self.lib / name, "SONAME"), [name])

    def test_shims_are_found_whatever_the_linker_takes_lib_for(self):
        for folder in ("lib", "lib64", f"lib/{machine.machine()}-linux-gnu"):
            self.assertTrue((self.lib / "xsched" / folder).samefile(self.lib / "xsched"), folder)

    def test_no_library_looks_in_a_folder_of_the_builders_or_the_current_one(self):
        for library in [*self.lib.glob("lib*.so"), *(self.lib / "xsched").glob("*.so")]:
            with self.subTest(library.name):
                for paths in dynamic(library, "RUNPATH") + dynamic(library, "RPATH"):
                    for path in paths.split(":"):
                        self.assertRegex(path, r"^\$ORIGIN(/|$)")

    # No library may use a function of XSched's that it lacks. The linker allows that for a module, whose program
    # might have the function.
    def test_no_library_lacks_a_function_of_ours(self):
        for library in [*self.lib.glob("lib*.so"), *(self.lib / "xsched").rglob("*.so")]:
            missing = re.findall(r" UND (_ZN?K?6xsched\w*)", tool("readelf", "-W", "--dyn-syms", library))
            self.assertEqual(missing, [], library)

    def test_nothing_has_symbols_for_debugging(self):
        files = [*self.lib.glob("lib*.so"), *(self.lib / "xsched").glob("*.so"), *(self.prefix / "bin").iterdir()]
        self.assertGreater(len(files), 9)
        for file in files:
            self.assertNotRegex(tool("readelf", "-SW", file), r"\.symtab|\.debug_info", file)

    def test_what_is_ours_alone_has_a_version_that_says_so(self):
        for name in PUBLIC:
            symbols = tool("readelf", "-W", "--dyn-syms", self.lib / f"{name}.so")
            versions = dict(re.findall(r" (\w+)@@(XSCHED_\w+)", symbols))
            versions = {symbol: version for symbol, version in versions.items() if symbol != version}
            self.assertGreater(len(versions), 2)
            for symbol, version in versions.items():
                private = re.match(r"x\w+?_", symbol)
                self.assertEqual(version, "XSCHED_PRIVATE" if private else "XSCHED_1", symbol)

    def test_every_link_of_the_documents_leads_to_an_installed_file(self):
        folder = next(self.prefix.glob("share/doc/*"))
        pages = sorted(folder.rglob("*.md"))
        self.assertGreater(len(pages), 60)
        dead, seen = [], 0
        for page in pages:
            text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
            for target in re.findall(r"\]\(\s*([^)\s]+)\s*\)", text):
                name = target.partition("#")[0]
                if not name or re.match(r"\w+:", target):
                    continue
                seen += 1
                if not (page.parent / name).exists():
                    dead.append(f"{page.relative_to(folder)}: {target}")
        self.assertEqual(dead, [])
        self.assertGreater(seen, 300)
        self.assertIn("(`bench/results/h200/cuda_programs.json`)",
                      (folder / "docs/programs/llm-server.md").read_text(encoding="utf-8"))

    def test_the_demo_has_its_programs_and_its_parts(self):
        self.assertTrue((self.lib / "xsched/demo/spinner").exists())
        self.assertTrue((self.lib / "xsched/demo/opencl/hp").exists())
        demo = self.prefix / "share/xsched/report/demo.py"
        done = attempt("/usr/bin/python3", "-B", demo, "--help")
        self.assertIn("--programs", done.stdout, done.stderr)
        done = attempt(self.prefix / "bin/xcli", "demo", "-o", self.folder / "x.html", PATH="/nowhere")
        self.assertIn("python3", done.stderr)

    def test_headers_of_the_platforms_that_there_are(self):
        include = self.prefix / "include" / "xsched"
        self.assertEqual(sorted(path.name for path in include.iterdir()),
                         sorted([*PLATFORMS, "hint.h", "policy.h", "types.h", "xqueue.h", "xsched.h"]))
        for platform in PLATFORMS:
            self.assertTrue((include / platform / "hal.h").is_file())

    def test_license_and_documentation(self):
        docs = self.prefix / "share" / "doc" / "xsched"
        for name in ("LICENSE", "README.md", "CHANGELOG.md", "docs/ARCHITECTURE.md", "docs/images/latency.svg",
                     "examples/common.mk"):
            self.assertTrue((docs / name).is_file(), name)

    def test_what_pages_tell_to_copy_is_installed(self):
        docs = self.prefix / "share" / "doc" / "xsched"
        named = {name for page in docs.rglob("*.md") for name in re.findall(r"packaging/[\w./-]*\w", page.read_text())}
        self.assertIn("packaging/xserver.service", named)
        self.assertEqual([name for name in sorted(named) if not (docs / name).exists()], [])

    def test_every_file_of_the_examples_is_installed(self):
        if not (ROOT / ".git").exists():
            self.skipTest("which files are the examples' own is known to git")
        docs = self.prefix / "share" / "doc" / "xsched"
        for name in tool("git", "-C", ROOT, "ls-files", "examples").split():
            source, installed = ROOT / name, docs / name
            with self.subTest(name):
                self.assertTrue(installed.exists(), name)
                self.assertEqual(installed.is_symlink(), source.is_symlink())
                if source.is_file() and source.suffix != ".md":  # links of pages are made to fit
                    self.assertEqual(installed.read_bytes(), source.read_bytes())
                    is_script = source.read_bytes().startswith(b"#!")
                    self.assertEqual(installed.stat().st_mode & 0o111 != 0, is_script, "a script can be run, alone")

    def test_what_measures_for_xcli_report_is_there_as_a_whole(self):
        done = attempt(self.prefix / "bin" / "xcli", "report", "--", "true", folder=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("saw no work of it", done.stderr)

    def test_a_staged_tree_is_the_same(self):
        stage = self.folder / "stage"
        install("/opt/xsched", DESTDIR=stage)

        def files(root):
            return sorted(path.relative_to(root) for path in root.rglob("*") if not path.is_dir())
        self.assertEqual(files(stage / "opt" / "xsched"), files(self.prefix))
        done = attempt("grep", "-rl", str(stage), stage / "opt" / "xsched")
        self.assertEqual(done.stdout, "", "files that name the stage")


if __name__ == "__main__":
    main()
