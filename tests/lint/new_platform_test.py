#!/usr/bin/env python3
"""The recipe for a platform of CONTRIBUTING.md: with its folder, its table and its public header a scratch copy of the
sources configures and compiles it. Lint, xcli and the build know it. Its device is held back by copies of commands;
nothing is linked, so that this takes seconds."""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPILER = sys.argv.pop(1) if len(sys.argv) > 1 else "c++"
SECONDS = 240

DESCRIBED = {
    "title": "Toy", "order": 9, "variable": "XSCHED_TOY_LIB", "shim_also_in": "", "libraries": ["libtoy.so.1"],
    "nodes": ["/dev/toy"], "folders": [], "nodes_suffice": False, "trials": "", "most_level": 1,
    "vendor_headers": "toy/",
    "hal_exports": "Toy\\w+", "shim_exports": "toy\\w+"}
TABLE = {
    "api": "toy", "title": "Toy", "library": "libshimtoy.so", "source": "what libtoy.so.1 exports",
    "functions": [
        {"name": "toyOpen", "since": "1.0", "class": "forwarded", "why": "a queue is the driver's own"},
        {"name": "toyLaunch", "since": "1.0", "class": "scheduled", "result": "int", "args": "void*, int",
         "why": "a kernel in queue order"}]}
FILES = {
    "src/platform/toy/CMakeLists.txt": "add_subdirectory(hal)\nadd_subdirectory(shim)\n",
    "src/platform/toy/doctor.cpp": """#include "cli/doctor/findings.h"

namespace xsched::cli {

Platform look_at_toy(const Machine&, const Installation& installation) {
    return {"toy", {shim_of(installation, "toy")}, {{"level 1", Answer::kYes, "on every device"}}};
}
std::vector<Finding> settings_of_toy(const Machine&) { return {}; }

}  // namespace xsched::cli
""",
    "src/platform/toy/hal/CMakeLists.txt": """xsched_api(toy)
xsched_guest_library(haltoy ${CMAKE_CURRENT_SOURCE_DIR}/exports.map hal.cpp)
target_link_libraries(haltoy PRIVATE room_base api_toy PUBLIC preempt)
xsched_public_library(haltoy)
""",
    "src/platform/toy/hal/exports.map": "XSCHED_1 { global: ToyQueueCreate; local: *; };\n",
    "src/platform/toy/hal/hal.cpp": """#include "xsched/toy/hal.h"

#include "queue/abi/queue_abi.h"

namespace {

// The device takes one command after the other: what comes behind a launch is complete when the launch is.
XResult mark(void*, XqToken token) {
    xq_complete(token);
    return kXSchedSuccess;
}

constexpr XqDeviceOps kOps = {.abi = XQ_DEVICE_ABI,
                              .levels = 1u << kPreemptLevelBlock,
                              .platform = kPlatformUnknown,
                              .order = kXqInOrder,
                              .mark = mark};

}  // namespace

extern "C" XResult ToyQueueCreate(HwQueueHandle* hwq, void* queue) {
    if (hwq == nullptr || queue == nullptr) return kXSchedErrorInvalidValue;
    return xq_hwq_create(hwq, &kOps, queue, reinterpret_cast<uint64_t>(queue), 1);
}
""",
    "src/platform/toy/shim/CMakeLists.txt": """xsched_shim(shimtoy toy shim.cpp)
target_link_libraries(shimtoy PRIVATE haltoy)
""",
    "src/platform/toy/shim/shim.cpp": """#include <dlfcn.h>

#include <cstdint>

#include "queue/abi/queue_abi.h"
#include "xsched/toy/hal.h"

namespace {

enum Entry : uint32_t {
#define ENTRY_POINT(name) kEntry_##name,
#include "entry_points.inc"
};
const char* const kNames[] = {
#define ENTRY_POINT(name) #name,
#include "entry_points.inc"
};
#define FUNCTION(result, name, ...) using Declared_##name = result (*)(__VA_ARGS__);
#include "functions.inc"

template <typename Function>
Function below(Entry entry) {
    static void* const library = dlopen("libtoy.so.1", RTLD_NOW);
    return reinterpret_cast<Function>(dlsym(library, kNames[entry]));
}

struct Launch : XqCommand {
    void* queue;
    int value;
};
XResult launch(XqCommand* command, void*, XqToken) {
    const auto* call = static_cast<const Launch*>(command);
    const int code = below<Declared_toyLaunch>(kEntry_toyLaunch)(call->queue, call->value);
    return code == 0 ? kXSchedSuccess : kXSchedErrorHardware;
}
void destroy(XqCommand* command) { delete static_cast<Launch*>(command); }
constexpr XqCommandOps kLaunch = {launch, destroy};

XqQueue* queue_of(void* queue) {
    HwQueueHandle hwq = 0;
    if (xq_hwq_find(&hwq, kPlatformUnknown, reinterpret_cast<uint64_t>(queue)) != kXSchedSuccess &&
        ToyQueueCreate(&hwq, queue) != kXSchedSuccess)
        return nullptr;
    return xq_auto_create(hwq, 0);
}

// Handed over or done: 0, as the vendor's own success.
int hook_scheduled(void* queue, int value) {
    static XqQueue* const xqueue = queue_of(queue);
    XqTicket ticket{};
    xq_admit(xqueue, &ticket);
    if (ticket.verdict == kXqBuffer) {
        auto* copy = new Launch{{&kLaunch, nullptr, 0}, queue, value};
        return xq_buffer(xqueue, &ticket, copy) == kXSchedSuccess ? 0 : 1;
    }
    const int code = below<Declared_toyLaunch>(kEntry_toyLaunch)(queue, value);
    xq_launched(xqueue, &ticket, code == 0 ? kXqSucceeded : kXqFailed);
    return code;
}

}  // namespace

extern "C" void* xsched_resolve(uint32_t entry) {
#define HOOK(name, shape, ...) \\
    if (entry == kEntry_##name) return reinterpret_cast<void*>(&hook_##shape);
#include "entry_points.inc"
    return below<void*>(static_cast<Entry>(entry));
}
""",
    "include/xsched/toy/hal.h": """#ifndef XSCHED_TOY_HAL_H
#define XSCHED_TOY_HAL_H

#include "xsched/types.h"

XSCHED_BEGIN_INTERFACE
XResult ToyQueueCreate(HwQueueHandle* hwq, void* queue);
XSCHED_END_INTERFACE

#endif
""",
}
OBJECTS = ["src/platform/toy/hal/CMakeFiles/haltoy.dir/hal.cpp.o",
           "src/platform/toy/shim/CMakeFiles/shimtoy.dir/shim.cpp.o"]


class NewPlatform(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "copy"
        for part in ("api", "bench", "cmake", "include", "packaging", "python", "src", "tools"):
            shutil.copytree(ROOT / part, self.root / part)
        for file in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md"):
            shutil.copy(ROOT / file, self.root / file)
        (self.root / "docs").symlink_to(ROOT / "docs")
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.root / "src/platform/toy/platform.json").write_text(json.dumps(DESCRIBED))
        (self.root / "api/toy.json").write_text(json.dumps(TABLE))

    def run_in_copy(self, *command):
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def configure(self, platform):
        return subprocess.run(["cmake", "-G", "Ninja", "-S", ".", "-B", "build", f"-DXSCHED_PLATFORM={platform}",
                               f"-DCMAKE_CXX_COMPILER={COMPILER}", "-DCMAKE_BUILD_TYPE=Debug",
                               "-DXSCHED_FILES_TOGETHER=1"],
                              cwd=self.root, capture_output=True, text=True, timeout=SECONDS)

    def test_its_folder_its_table_and_its_header_are_enough(self):
        done = self.configure("toy")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.run_in_copy("ninja", "-C", "build", *OBJECTS)
        self.run_in_copy(COMPILER, "-std=c++20", "-fsyntax-only", "-I", "src", "-I", "include", "-I", "build/api",
                         "src/platform/toy/doctor.cpp")
        self.assertIn("toyLaunch", (self.root / "build/api/toy/trampolines.S").read_text())
        self.assertIn("PLATFORM(toy,", (self.root / "build/api/platforms.inc").read_text())

    def test_lint_knows_it(self):
        self.run_in_copy(sys.executable, "-B", "tools/lint/run.py", "include_rules", "--root", ".")
        bad = self.root / "src/platform/toy/hal/hal.cpp"
        bad.write_text('#include "platform/cuda/hal/api.h"\n' + bad.read_text())
        done = subprocess.run([sys.executable, "-B", "tools/lint/run.py", "include_rules", "--root", "."],
                              cwd=self.root, capture_output=True, text=True, timeout=SECONDS)
        self.assertNotEqual(done.returncode, 0, "a platform includes another one's files")

    def test_a_folder_that_is_not_there_is_named(self):
        done = self.configure("none")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("toy", done.stderr)


if __name__ == "__main__":
    unittest.main()
