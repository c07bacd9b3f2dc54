#!/usr/bin/env python3
"""The generator of entry points: what it makes fits the table, the documentation, the library and the assembler."""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = ROOT / "tools/codegen/generate.py"
API = None  # these two are given on the command line
SHIM = None  # the built library


def generate(*arguments):
    return subprocess.run([sys.executable, "-B", GENERATOR, *arguments], capture_output=True, text=True, timeout=60)


def exported(library):
    """Names of the functions and objects a library exports, without their versions."""
    text = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, timeout=60).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines() if re.search(r" [TWiDR] ", line)}


class Codegen(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.table_path = ROOT / f"api/{API}.json"
        self.table = json.loads(self.table_path.read_text())
        self.names = [] if self.table.get("layer") else [row["name"] for row in self.table["functions"]]

    def bad_table(self, change):
        change(self.table)
        path = self.folder / "bad.json"
        path.write_text(json.dumps(self.table))
        result = generate(path, "--out", self.folder)
        self.assertNotEqual(result.returncode, 0)
        return result.stderr

    def test_coverage_page_is_up_to_date(self):
        page = self.folder / "page.md"
        self.assertEqual(generate(self.table_path, "--coverage", page).returncode, 0)
        self.assertEqual(page.read_text(), (ROOT / f"docs/coverage/{API}.md").read_text(),
                         f"run tools/codegen/generate.py api/{API}.json --coverage docs/coverage/{API}.md")

    def test_every_function_has_a_trampoline_and_is_exported(self):
        self.assertEqual(generate(self.table_path, "--out", self.folder).returncode, 0)
        assembly = (self.folder / "trampolines.S").read_text()
        exports = (self.folder / "exports.map").read_text()
        for name in self.names:
            self.assertRegex(assembly, rf"(?m)^{name}:$")
            if "version_prefix" not in self.table:
                self.assertRegex(exports, rf"(?m)^    {name};$")

    def test_every_version_of_the_vendors_symbols_is_defined(self):
        if "version_prefix" not in self.table:
            self.skipTest("this vendor's symbols have no versions")
        self.assertEqual(generate(self.table_path, "--out", self.folder).returncode, 0)
        exports = (self.folder / "exports.map").read_text()
        for version in {row["since"] for row in self.table["functions"]}:
            self.assertIn(f"{self.table['version_prefix']}{version} {{\n", exports)

    def test_the_table_has_the_versions_of_the_vendors_symbols(self):
        if "version_prefix" not in self.table:
            self.skipTest("this vendor's symbols have no versions")
        library, _ = self.vendors_library()
        text = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                              timeout=60).stdout
        theirs = dict(re.findall(rf" \w (\w+)@@{self.table['version_prefix']}(\S+)$", text, flags=re.M))
        wrong = {row["name"]: (row["since"], theirs[row["name"]]) for row in self.table["functions"]
                 if theirs.get(row["name"], row["since"]) != row["since"]}
        self.assertEqual(wrong, {})

    def test_the_library_exports_the_table_and_nothing_else(self):
        if SHIM is None:
            self.skipTest("no library was named")
        self.assertEqual(exported(SHIM), set(self.names) | set(self.table["extra_exports"]))

    def test_the_table_has_every_entry_point_of_the_vendors_library(self):
        library, prefix = self.vendors_library()
        functions = {name for name in exported(library) if re.match(prefix, name)}
        self.assertGreater(len(functions), 0)
        self.assertEqual(functions - set(self.names), set())

    def vendors_library(self):
        """A library to link programs with, and what its functions' names begin with."""
        if API == "cuda":
            stub = next(Path("/usr/local").glob("cuda/lib64/stubs/libcuda.so"), None)
            if not stub:
                self.skipTest("no CUDA toolkit is installed")
            return stub, "cu[A-Z]"
        if API == "hip":
            library = next(Path("/usr/lib").glob("*/libamdhip64.so.5"), None)
            if not library:
                self.skipTest("Debian's libamdhip64-5 is not installed")
            return library, "hip|__hip|_Z"
        # The tables of Ascend and Level Zero have all functions that put work on a device.
        name, prefix = {"opencl": ("libOpenCL.so.1", "cl"),
                        "ascend": ("libascendcl.so", "acl(rt|mdl|op).*(Async|Launch|Exec)"),
                        "levelzero": ("libze_loader.so.1", "ze[A-Z].*(ListAppend|ImmediateAppend|QueueExecute)")}[API]
        found = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, timeout=60).stdout
        match = re.search(re.escape(name) + r" .*=> (\S+)", found)
        if not match:
            self.skipTest(f"{name} is not installed")
        return match.group(1), prefix

    def test_both_architectures_assemble(self):
        if not shutil.which("clang"):
            self.skipTest("clang, which assembles for both architectures, is not installed")
        for architecture in ("x86_64", "aarch64"):
            self.assertEqual(generate(self.table_path, "--out", self.folder, "--arch", architecture).returncode, 0)
            result = subprocess.run(["clang", f"--target={architecture}-linux-gnu", "-c",
                                     self.folder / "trampolines.S", "-o", self.folder / "out.o"],
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_mistakes_in_the_table_are_named(self):
        first = self.names[0]

        def repeat(table):
            table["functions"].append(table["functions"][0])
        self.assertIn(f"{first} is listed twice", self.bad_table(repeat))

    def test_an_unknown_class_is_refused(self):
        def change(table):
            table["functions"][0]["class"] = "ignored"
        self.assertIn("has class 'ignored'", self.bad_table(change))

    def test_every_copy_says_how_it_tells_its_bytes(self):
        if API != "opencl":
            self.skipTest("OpenCL's functions have names that tell")
        rows = self.table["functions"] + self.table["by_name"]
        copies = {row["name"] for row in rows if re.match("clEnqueue(Read|Write|Copy|SVMMemcpy)", row["name"])}
        self.assertEqual({row["name"] for row in rows if "copy" in row}, copies)

    def test_only_a_function_that_peeks_leaves_the_error(self):
        if API != "hip":
            self.skipTest("HIP's runtime has a last error")
        peeks = {row["name"]: "peeks" in row.get("traits", []) for row in self.table["functions"]
                 if row.get("hook") == "last_error"}
        self.assertEqual(peeks, {"hipExtGetLastError": False, "hipGetLastError": False, "hipPeekAtLastError": True})

    def propose(self, header):
        path = self.folder / "vendor.h"
        path.write_text(header)
        proposer = ROOT / "tools/codegen/propose.py"
        result = subprocess.run([sys.executable, "-B", proposer, self.table_path, path, "--since", "99.0"],
                                capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        return {row["name"]: row for row in json.loads("[" + result.stdout.rstrip().rstrip(",") + "]")}

    def test_rows_are_proposed_for_what_a_header_has_beyond_the_table(self):
        if API != "cuda":
            self.skipTest("CUDA's header is the example")
        rows = self.propose("""
            #define cuFuture cuFuture_v2
            /* CUresult CUDAAPI cuInAComment(CUstream hStream); */
            CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream);
            CUresult CUDAAPI cuFutureMemcpyAsync(CUdeviceptr dst, const void *src, size_t n, CUnewThing* thing,
                                                 CUnewMode mode, CUstream hStream);
            CUresult CUDAAPI cuFutureMemcpyAsync_ptsz(CUdeviceptr dst, const void *src, size_t n, CUnewThing* thing,
                                                      CUnewMode mode, CUstream hStream);
            CUresult CUDAAPI cuFutureLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData);
            CUresult CUDAAPI cuStreamBeginFutureCapture(CUstream hStream, CUstreamCaptureMode mode);
            CUresult CUDAAPI cuFutureThingDestroy(CUnewThing *thing);
            CUresult CUDAAPI cuFutureInfo(int *value);
        """)
        copy = rows["cuFutureMemcpyAsync"]
        self.assertEqual((copy["class"], copy["since"], copy["copy"]), ("scheduled", "99.0", "last"))
        self.assertEqual(copy["args"], "CUdeviceptr, const void*, size_t, void*, int, CUstream")
        self.assertEqual(rows["cuFutureLaunchHostFunc"]["args"], "CUstream, void*, void*")
        self.assertEqual(rows["cuStreamBeginFutureCapture"]["hook"], "begin_capture")
        self.assertEqual(rows["cuFutureThingDestroy"]["class"], "ordered")
        self.assertEqual(rows["cuFutureInfo"]["class"], "forwarded")
        self.assertEqual(set(rows["cuFutureMemcpyAsync_ptsz"]), {"name", "since", "class", "why"})
        self.assertEqual(len(rows), 6)

    def test_what_is_proposed_fits_the_table(self):
        endings = {"cuda": "CUresult CUDAAPI cuFutureAsync(CUdeviceptr p, CUstream s);",
                   "hip": "hipError_t hipFutureAsync(void* p, hipStream_t s);",
                   "ascend": "ACL_FUNC_VISIBILITY aclError aclrtFutureAsync(void* p, aclrtStream stream);",
                   "opencl": "extern CL_API_ENTRY cl_int CL_API_CALL\nclEnqueueFuture(cl_command_queue q) "
                             "CL_API_SUFFIX__VERSION_3_0;",
                   "levelzero": "ZE_APIEXPORT ze_result_t ZE_APICALL\nzeCommandListAppendFuture(\n"
                                "    ze_command_list_handle_t hCommandList,  ///< [in] the list\n    );"}
        rows = self.propose(endings[API])
        self.assertEqual([row["class"] for row in rows.values()], ["scheduled"])
        self.table["functions"] += rows.values()
        path = self.folder / "more.json"
        path.write_text(json.dumps(self.table))
        result = generate(path, "--out", self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_an_unknown_trait_is_refused(self):
        def change(table):
            table["functions"][0]["traits"] = ["urgent"]
        self.assertIn("has the trait 'urgent'", self.bad_table(change))

    def test_a_hook_learns_the_traits_of_its_function_and_of_the_per_thread_form(self):
        rows = [row for row in self.table["functions"] if "cooperative" in row.get("traits", [])]
        if not rows:
            self.skipTest("no function of this platform has traits")
        self.assertEqual(generate(self.table_path, "--out", self.folder).returncode, 0)
        lines = (self.folder / "traits.inc").read_text()
        for row in rows:
            forms = {row["name"] + ending for ending in ["", *self.table["per_thread"]]} & set(self.names)
            for name in forms:
                self.assertIn(f"kTraits<kEntry_{name}>{{.cooperative = true}};\n", lines)

    def test_a_scheduled_function_is_hooked_without_a_word(self):
        self.assertEqual(generate(self.table_path, "--out", self.folder).returncode, 0)
        lines = (self.folder / "entry_points.inc").read_text()
        for row in self.table["functions"]:
            if row["class"] == "scheduled":
                self.assertRegex(lines, rf"(?m)^HOOK\({row['name']}, \w+(, \d+)?\)$")

    def test_a_hooked_function_without_its_arguments_is_refused(self):
        if "result" not in self.table:
            self.skipTest("the arguments come from the vendor's header")

        def change(table):
            del next(row for row in table["functions"] if "args" in row and row["class"] == "scheduled")["args"]
        self.assertIn("needs its arguments' types", self.bad_table(change))

    def test_a_hook_for_per_thread_streams_that_differs_is_refused(self):
        endings = tuple(self.table.get("per_thread", []))
        if not endings:
            self.skipTest("no function has a form for per-thread default streams")

        def change(table):
            next(row for row in table["functions"] if row["name"].endswith(endings))["hook"] = "traced"
        self.assertIn("leave it out", self.bad_table(change))

    def test_a_missing_reason_is_refused(self):
        def change(table):
            table["functions"][0]["why"] = ""
        self.assertIn("needs a reason", self.bad_table(change))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--api", default="opencl")
    parser.add_argument("--shim")
    known, rest = parser.parse_known_args()
    API = known.api
    SHIM = known.shim
    unittest.main(argv=[sys.argv[0], *rest])
