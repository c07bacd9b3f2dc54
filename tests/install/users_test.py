#!/usr/bin/env python3
"""The users of an installation: programs linked by pkg-config or CMake, xcli, the Python package, the examples."""
import json
import os
import shutil
import signal
import time
import unittest
from pathlib import Path

from installed import GIVEN, InATree, attempt, main, tool

# A C program that uses libpreempt and a HAL library. Without a driver it gets an error instead of a queue.
PROGRAM = """
#include "xsched/xsched.h"
#include "xsched/cuda/hal.h"
int main(void) {
    HwQueueHandle queue = 0;
    if (XQueueResume(1, kQueueResumeFlagNone) != kXSchedErrorNotFound) return 1;
    return CudaQueueGet(&queue, 0) != kXSchedSuccess ? 0 : 2;
}
"""
PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(xsched REQUIRED COMPONENTS cuda)
add_executable(user user.c)
target_link_libraries(user PRIVATE xsched::halcuda)
if(NOT EXISTS ${XSCHED_SHIM_DIR}/libshimcuda.so OR NOT TARGET xsched::preempt)
  message(FATAL_ERROR "the package lacks something")
endif()
"""


class Users(InATree):
    def pkg_config(self, *words, prefix=None):
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        return tool("pkg-config", *words, PKG_CONFIG_PATH=(prefix or self.prefix) / "lib" / "pkgconfig").split()

    def test_pkg_config(self):
        program = self.compile("by_pkg_config", PROGRAM, *self.pkg_config("--cflags", "--libs", "xsched-cuda"))
        tool(program, LD_LIBRARY_PATH=self.lib)
        self.assertEqual(Path(self.pkg_config("--variable=shimdir", "xsched")[0]).resolve(),
                         (self.lib / "xsched").resolve())

    def test_find_package(self):
        project = self.folder / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(PROJECT)
        (project / "user.c").write_text(PROGRAM)
        tool("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        tool("cmake", "--build", project / "build")
        tool(project / "build" / "user")  # CMake has put the folder into it

    def test_find_package_refuses_a_platform_that_was_not_built(self):
        project = self.folder / "other"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(PROJECT.replace("COMPONENTS cuda", "COMPONENTS cudla"))
        done = attempt("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cudla", done.stderr)

    def test_xcli_preloads_the_installed_shims(self):
        done = tool(self.prefix / "bin" / "xcli", "run", "--scheduler", "local", "--", "/bin/sh", "-c",
                    "echo $LD_PRELOAD; grep -o '/.*/libshim.*' /proc/self/maps | sort -u", XSCHED_CUDA_LIB=GIVEN.driver)
        preloaded, *mapped = done.split()
        self.assertIn(str(self.lib / "xsched" / "$LIB" / "libshimcuda.so"), preloaded.split(":"))
        self.assertIn(str((self.lib / "xsched" / "libshimcuda.so").resolve()), mapped)

    def test_xcli_starts_the_installed_server_and_all_of_it_works_elsewhere(self):
        moved = self.folder / "moved"
        shutil.copytree(self.prefix, moved, symlinks=True)
        xcli, socket = moved / "bin" / "xcli", self.folder / "server.sock"
        try:
            done = attempt(xcli, "run", "--", "/bin/echo", "ran", XSCHED_SOCKET=socket, XSCHED_CUDA_LIB=GIVEN.driver)
            self.assertEqual((done.returncode, done.stdout), (0, "ran\n"), done.stderr)
            self.assertNotIn("WARN", done.stderr)
            server = json.loads(tool(xcli, "server", "--json", XSCHED_SOCKET=socket))
            self.assertEqual(Path(f"/proc/{server['pid']}/exe").readlink(), (moved / "bin" / "xserver").resolve())
        finally:
            self.end_server(json.loads(tool(xcli, "server", "--json", XSCHED_SOCKET=socket))["pid"])
        flags = self.pkg_config("--libs", "xsched", prefix=moved)
        self.assertIn(str(moved / "lib"), str(Path(flags[0][2:]).resolve()))

    def end_server(self, pid):
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + 10
        while Path(f"/proc/{pid}/exe").exists() and time.monotonic() < deadline:  # it removes its socket
            time.sleep(0.01)

    def test_the_python_package_finds_the_libraries(self):
        done = tool("python3", "-B", "-c", "import xsched; from xsched import _libraries as found\n"
                    "print(xsched.XSched.XQueueResume(1, 0).name, found.loaded('libpreempt.so'), found.tool('xcli'))",
                    PYTHONPATH=self.lib / "python3" / "dist-packages", PATH="/usr/bin:/bin")
        result, library, xcli = done.split()
        self.assertEqual(result, "kXSchedErrorNotFound")
        self.assertEqual(Path(library).parent, self.lib.resolve())
        self.assertEqual(xcli, str((self.prefix / "bin" / "xcli").resolve()))

    def test_an_installed_example_builds_against_its_own_tree(self):
        example = self.prefix / "share" / "doc" / "xsched" / "examples" / "4_manual_sched"
        if not shutil.which("pkg-config") or attempt("pkg-config", "--exists", "OpenCL").returncode != 0:
            self.skipTest("OpenCL, or pkg-config, which tells, is not installed")
        copy = self.folder / "examples"
        shutil.copytree(example.parent, copy)
        for folder, path in ((example, []), (copy / example.name, [f"XSCHED_PATH={self.prefix}"])):
            tool("make", "-C", folder, "opencl", *path)
            self.assertIn(str(self.lib), tool("readelf", "-dW", folder / "app_sched"))
            tool("make", "-C", folder, "clean")

    def test_the_installed_example_of_own_policies_builds(self):
        copy = self.folder / "policies"
        shutil.copytree(self.prefix / "share" / "doc" / "xsched" / "examples", copy)
        tool("make", "-C", copy / "6_own_policy", f"PREFIX={self.prefix}")
        self.assertEqual(sorted(path.name for path in (copy / "6_own_policy").glob("*.so")),
                         ["first_come.so", "round_robin.so"])


if __name__ == "__main__":
    main()
