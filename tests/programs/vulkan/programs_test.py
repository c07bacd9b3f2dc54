#!/usr/bin/env python3
"""Other people's Vulkan programs do the same natively, under `xcli run`, and held by an urgent program.

    programs_test.py --build DIR

vkcube is Debian's, and runs under Xvfb. ffmpeg filters pictures with libplacebo. d3d12_check.c is for Direct3D 12 over
Debian's vkd3d. llama.cpp is node-llama-cpp's prebuilt Vulkan build, and WebGPU is Dawn as the npm package webgpu has
it; npm fetches both into the build directory. A program that is not there is skipped, with the reason.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[2] / "examples" / "programs"
sys.path.insert(0, str(HERE.parents[1] / "support"))
from script import run_tests  # noqa: E402

GIVEN = argparse.Namespace()  # the command line
LONGEST_S = 600  # llama.cpp compiles its shaders at its first start
LLAMA = "3.22.1"
TOKENS = "20"
DAWN = "0.6.2"
ROUNDS = "200"
VALIDATION = "VK_LAYER_KHRONOS_validation"
COMPLAINT = re.compile(r"VUID-[\w-]+|UNASSIGNED-[\w-]+")
NO_ADAPTER = 3  # webgpu.mjs


def npm_folder(name, script, *packages):
    """A folder with these packages, the last one among them, and our script; npm makes it. Throws SkipTest."""
    folder = GIVEN.build / name
    if not shutil.which("npm"):
        raise unittest.SkipTest("there is no npm (scripts/install_deps.sh matrix)")
    if not (folder / "node_modules" / packages[-1].rpartition("@")[0]).exists():
        folder.mkdir(exist_ok=True)
        (folder / "package.json").write_text('{"name": "fetched", "version": "1.0.0", "private": true}')
        done = subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=optional",
                               *packages], cwd=folder, capture_output=True, text=True, timeout=LONGEST_S, check=False)
        if done.returncode != 0:
            raise unittest.SkipTest(f"npm cannot fetch {packages[0]}: " + done.stderr.strip()[-200:])
    shutil.copy(HERE / script, folder)
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

    def is_the_same_twice_at_once(self, command, where=None):
        """Two of them under one scheduler, one more urgent than the other."""
        native = self.run_one(command, None, where)
        xcli = [GIVEN.build / "bin/xcli", "run", "-p"]
        both = [subprocess.Popen([*xcli, priority, "--", *command], cwd=where, env=self.environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for priority in ("5", "-5")]
        for process in both:
            out, _ = process.communicate(timeout=LONGEST_S)
            self.assertEqual((process.returncode, out), native)

    def has_no_more_complaints(self, command, where=None):
        """Khronos' validation below our layer complains of nothing that it does not complain of natively."""
        self.environment["VK_INSTANCE_LAYERS"] = VALIDATION
        native, ours = (self.run_one(command, under, where) for under in (None, ["-p", "-5"]))
        self.assertEqual(ours[0], native[0], ours)
        self.assertEqual(*(sorted(COMPLAINT.findall(out)) for _, out in (ours, native)))

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
        folder = npm_folder("node_llama", "tokens.mjs", f"node-llama-cpp@{LLAMA}",
                            f"@node-llama-cpp/linux-x64-vulkan@{LLAMA}")
        subprocess.run([sys.executable, "-B", HERE / "tiny_gguf.py", folder / "tiny.gguf"], check=True)
        self.is_the_same(["node", "tokens.mjs", "tiny.gguf", TOKENS], folder)

    def test_llama_by_its_library(self):
        """examples/programs/llama_cpp.py, which bench/cuda/programs.py and bench/vulkan/desktop.py measure."""
        folder = npm_folder("node_llama", "tokens.mjs", f"node-llama-cpp@{LLAMA}",
                            f"@node-llama-cpp/linux-x64-vulkan@{LLAMA}")
        subprocess.run([sys.executable, "-B", HERE / "tiny_gguf.py", folder / "half.gguf", "--half"], check=True)
        library = next((folder / "node_modules/@node-llama-cpp").glob("*/bins/*/libllama.*")).parent
        self.environment |= {"LLAMA_CPP_LIBRARY": str(library), "LLAMA_CPP_MODEL": str(folder / "half.gguf")}
        program = [sys.executable, "-B", EXAMPLES / "llama_cpp.py", "--seconds", "1"]
        for words, measured in ((["--prompt"], "steps_per_second"), ([], "between_tokens_ms")):
            status, out = self.run_one([*program, *words], [], folder)
            self.assertEqual((status, list(json.loads(out.splitlines()[-1]))), (0, [measured]))

    def test_direct3d(self):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libvkd3d-utils", "libvkd3d"], capture_output=True,
                               text=True, check=False) if shutil.which("pkg-config") else None
        if flags is None or flags.returncode != 0:
            self.skipTest("there is no vkd3d to compile with (scripts/install_deps.sh test)")
        program = GIVEN.build / "d3d12_check"
        subprocess.run(["cc", "-O1", "-o", program, HERE / "d3d12_check.c", *flags.stdout.split()], check=True)
        self.is_the_same([program, ROUNDS])
        self.is_the_same_twice_at_once([program, ROUNDS, "3"])
        self.has_no_more_complaints([program, "20"])

    def test_webgpu(self):
        folder = npm_folder("node_webgpu", "webgpu.mjs", f"webgpu@{DAWN}")
        command = ["node", "webgpu.mjs", ROUNDS]
        if self.run_one(command, None, folder)[0] == NO_ADAPTER:
            self.skipTest("Dawn refuses this Vulkan driver: lavapipe 25.0 is new enough, 22.3 is not")
        self.is_the_same(command, folder)
        self.is_the_same_twice_at_once([*command, "3"], folder)
        self.has_no_more_complaints(["node", "webgpu.mjs", "20"], folder)


if __name__ == "__main__":
    run_tests(GIVEN, "build")
