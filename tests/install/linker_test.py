#!/usr/bin/env python3
"""The dynamic linker and an installation: ldconfig finds no vendor's name in it. A program whose shim is preloaded
finds the shim under the driver's name, whether it is linked to the driver or opens it."""
import os
import re
import shutil
import unittest

from installed import GIVEN, InATree, dynamic, main, tool

LDCONFIG = shutil.which("ldconfig", path="/sbin:/usr/sbin:" + os.environ["PATH"])
OURS = r"lib(preempt|hal\w+|shim\w+)\.so(\.\d+)*"
DRIVER = "int cuInit(unsigned flags) { return (int)flags; }\n"
# Prints in which file the linker finds cuInit: as the program's own calls do, and in the library that it opens.
PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#ifdef LINKED
int cuInit(unsigned flags);
int used(void);
int used(void) { return cuInit(0); }
#endif
static const char* file_of(void* function) {
    Dl_info info;
    return function != NULL && dladdr(function, &info) != 0 ? info.dli_fname : "nowhere";
}
int main(void) {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    printf("%s\\n", file_of(dlsym(RTLD_DEFAULT, "cuInit")));
    printf("%s\\n", library != NULL ? file_of(dlsym(library, "cuInit")) : "not opened");
    return 0;
}
"""


def cache_of(folder, scratch):
    """Returns the names that ldconfig would put into its cache for the libraries in `folder`, where it may also make
    links."""
    tool(LDCONFIG, "-n", folder)  # the links: in this folder alone
    listed = scratch / "ld.so.conf"
    listed.write_text(f"{folder}\n")
    tool(LDCONFIG, "-X", "-f", listed, "-C", scratch / "cache")  # the cache: no links anywhere
    entries = re.findall(r"^\s+(\S+) \(.*\) => (\S+)$", tool(LDCONFIG, "-C", scratch / "cache", "-p"), re.M)
    return sorted(name for name, path in entries if path.startswith(f"{folder}/"))


@unittest.skipUnless(LDCONFIG, "there is no ldconfig")
class Cache(InATree):
    def test_it_gets_no_vendors_name(self):
        tree = self.folder / "as_installed"
        shutil.copytree(self.prefix, tree, symlinks=True)
        names = cache_of(tree / "lib", self.folder)
        self.assertIn("libpreempt.so.1", names)
        for name in names + [path.name for path in (tree / "lib").glob("*.so*")]:
            self.assertRegex(name, f"^{OURS}$", "every program that needs this gets ours")

    def test_this_test_sees_a_vendors_name(self):
        folder = self.folder / "bad"
        folder.mkdir()
        (folder / "libshimbad.so").symlink_to(self.lib / "xsched" / "libshimcuda_driver_name.so")
        self.assertIn("libcuda.so.1", cache_of(folder, self.folder))


class Preloaded(InATree):
    def setUp(self):
        self.vendor = self.folder / "vendor"
        self.vendor.mkdir(exist_ok=True)
        self.compile("vendor/libcuda.so.1", DRIVER, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1")

    def found(self, program, shim, **environment):
        return tool(program, LD_PRELOAD=shim, XSCHED_CUDA_LIB=GIVEN.driver, **environment).split()

    def places(self):
        return (self.lib / "libshimcuda.so", self.lib / "xsched" / "libshimcuda.so")

    def test_the_drivers_name_is_private_and_the_shim_brings_it_along(self):
        name = self.lib / "xsched" / "libshimcuda_driver_name.so"
        self.assertEqual(dynamic(name, "SONAME"), ["libcuda.so.1"])
        self.assertEqual(dynamic(name, "NEEDED"), ["libshimcuda.so"])

    def test_a_program_that_opens_the_driver_finds_the_shim(self):
        program = self.compile("opens", PROGRAM, "-ldl")
        for shim in self.places():
            for environment in ({}, {"LD_LIBRARY_PATH": self.vendor}):
                with self.subTest(shim=shim, **environment):
                    self.assertEqual(self.found(program, shim, **environment), [str(shim)] * 2)

    def test_a_program_linked_to_the_driver_finds_the_shim(self):
        program = self.compile("linked", PROGRAM, "-DLINKED", self.vendor / "libcuda.so.1", "-ldl")
        for shim in self.places():
            with self.subTest(shim=shim):
                self.assertEqual(self.found(program, shim, LD_LIBRARY_PATH=self.vendor), [str(shim)] * 2)

    def test_other_preloaded_libraries_do_not_disturb_it(self):
        program = self.compile("linked", PROGRAM, "-DLINKED", self.vendor / "libcuda.so.1", "-ldl")
        other = self.compile("libother.so", "int other;\n", "-shared", "-fPIC")
        shim = self.lib / "libshimcuda.so"
        preload = f"{other}:{self.lib / 'libshimopencl.so'}:{shim}:{self.lib / 'libshimhip.so'}"
        found = self.found(program, preload, LD_LIBRARY_PATH=self.vendor)
        self.assertEqual(found, [str(shim)] * 2)

    def test_without_the_shim_nothing_of_ours_is_found(self):
        program = self.compile("opens", PROGRAM, "-ldl")
        found = tool(program, LD_LIBRARY_PATH=f"{self.lib}:{self.vendor}").split()
        self.assertEqual(found, ["nowhere", str(self.vendor / "libcuda.so.1")])


if __name__ == "__main__":
    main()
