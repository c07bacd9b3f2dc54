#!/usr/bin/env python3
"""Other people's Vulkan programs do the same natively, under `xcli run`, and held by an urgent program.

    programs_test.py --build DIR

vkcube is Debian's, and runs under Xvfb. ffmpeg filters pictures with libplacebo. llama.cpp is node-llama-cpp's prebuilt
Vulkan build, which npm fetches into the build directory. A program that is not there is skipped, with the reason.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from script import run_tests  # noqa: E402

GIVEN = argparse.Namespace()  # the command line
LONGEST_S = 600  # llama.cpp compiles its shaders at its first start
LLAMA = "3.22.1"
TOKENS = "20"


def llama_folder():
    """The folder with node-llama-cpp; npm makes it. Throws SkipTest."""
    folder = GIVEN.build / "node_llama"
    if not shutil.which("npm"):
        raise unittest.SkipTest("there is no npm (scripts/install_deps.sh matrix)")
    if not (folder / "node_modules/@node-llama-cpp/linux-x64-vulkan").exists():
        folder.mkdir(exist_ok=True)
        (folder / "package.json").write_text('{"name": "llama", "version": "1.0.0", "private": true}')
        done = subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=optional",
                               f"node-llama-cpp@{LLAMA}", f"@node-llama-cpp/linux-x64-vulkan@{LLAMA}"], cwd=folder,
                              capture_output=True, text=True, timeout=LONGEST_S, check=False)
        if done.returncode != 0:
            raise unittest.SkipTest("npm cannot fetch node-llama-cpp: " + done.stderr.strip()[-200:])
    subprocess.run([sys.executable, "-B", HERE / "tiny_gguf.py", folder / "tiny.gguf"], check=True)
    shutil.copy(HERE / "tokens.mjs", folder)
    return folder


class Programs(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("XSCHED_", "XLOG_", "VK_")) or name == "VK_ICD_FILENAMES"}
        self.environment |= {"XSCHED_SOCKET": folder + "/x.sock", "GGML_VK_VISIBLE_DEVICES": "0"}
        server = subprocess.Popen([GIVEN.build / "bin/xserver", "--socket", self.environment["XSCHED_SOCKET"]],
                                  env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait, 60)
        self.addCleanup(server.terminate)
        time.sleep(0.5)

    def run_one(self, command, under, where):
        xcli = [GIVEN.build / "bin/xcli", "run", *under, "--"] if under is not None else []
        done = subprocess.run([*xcli, *command], cwd=where, env=self.environment, capture_output=True, text=True,
                              timeout=LONGEST_S, check=False)
        return done.returncode, done.stdout

    def is_the_same(self, command, where=None):
        native = self.run_one(command, None, where)
        self.assertEqual(native[0], 0, native)
        self.assertEqual(self.run_one(command, [], where), native)
        load = [GIVEN.build / "bench/vulkan/vulkan_load", "frames", "20", "5"]
        urgent = subprocess.Popen([GIVEN.build / "bin/xcli", "run", "-p", "10", "--", *load], env=self.environment,
                                  stdout=subprocess.DEVNULL)
        try:
            self.assertEqual(self.run_one(command, ["-p", "-5"], where), native)
        finally:
            urgent.kill()
            urgent.wait()

    def test_vkcube(self):
        if not shutil.which("vkcube") or not shutil.which("xvfb-run"):
            self.skipTest("there is no vkcube, or no xvfb-run (scripts/install_deps.sh test)")
        screen = ["xvfb-run", "-a", "-s", "-screen 0 640x480x24", "vkcube", "--c", "120"]
        self.is_the_same(screen)

    def test_ffmpeg_libplacebo(self):
        filters = subprocess.run(["ffmpeg", "-hide_banner", "-filters"], capture_output=True, text=True, check=False,
                                 timeout=60).stdout if shutil.which("ffmpeg") else ""
        if " libplacebo " not in filters:
            self.skipTest("there is no ffmpeg with libplacebo (scripts/install_deps.sh matrix)")
        self.is_the_same(["ffmpeg", "-v", "error", "-init_hw_device", "vulkan=v:0", "-f", "lavfi", "-i",
                          "testsrc=size=320x240:rate=10:duration=2", "-vf",
                          "format=yuv420p,hwupload,libplacebo=w=160:h=120,hwdownload,format=yuv420p", "-f", "framemd5",
                          "-"])

    def test_llama(self):
        folder = llama_folder()
        self.is_the_same(["node", "tokens.mjs", "tiny.gguf", TOKENS], folder)


if __name__ == "__main__":
    run_tests(GIVEN, "build")
