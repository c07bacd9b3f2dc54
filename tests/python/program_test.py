#!/usr/bin/python3
"""Whole programs: `python -m xsched run`, what an interpreter does at its end, and where the libraries come from."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from driver_program import DRIVER

PACKAGE = Path(__file__).resolve().parents[2] / "python"
GIVEN = None  # the command line

# Programs that end without closing their XSched objects, in various orders; each must end without an error.
ENDINGS = {
    "a queue nobody closed": "queue = xsched.Queue(stream.value, priority=3); write(1)",
    "a lazy queue never made": "queue = xsched.Queue(stream.value, priority=3, lazy=True)",
    "the stream before the queue": """
queue = xsched.Queue(stream.value, priority=3); write(1)
assert driver.cuStreamSynchronize(stream) == 0 and driver.cuStreamDestroy_v2(stream) == 0
del driver, stream""",
    "the context before the queue": """
queue = xsched.Queue(stream.value, priority=3); write(1)
assert driver.cuDevicePrimaryCtxReset_v2(0) == 0
queue.close()""",
    "a suspended queue with work": "queue = xsched.Queue(stream.value); queue.suspend(); write(1)",
    "a block left by sys.exit": "block = xsched.priority(5, stream.value, wait=False).__enter__(); sys.exit(0)",
    "a queue that a module holds": "import json; json.queue = xsched.Queue(stream.value, priority=1); write(1)",
    "a cycle with a finalizer": """
class Holder:
    def __del__(self): self.queue.close()
holder = Holder(); holder.queue = xsched.Queue(stream.value, priority=1); holder.me = holder; write(1)""",
    "a finalizer at interpreter exit": """
import atexit
queue = xsched.Queue(stream.value, priority=1)
atexit.register(queue.close); write(1)""",
    "threads that go on": """
import threading
queue = xsched.Queue(stream.value, priority=1)
def work():
    assert driver.cuCtxSetCurrent(context) == 0
    while True: write(1); queue.wait()
for _ in range(2): threading.Thread(target=work, daemon=True).start()""",
    "a command that never ran": """
queue = xsched.Queue(stream.value)
_, command = xsched.XSched.HwCommandCreateCallback(lambda _: write(3))""",
}


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def environment(self, **more):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("XSCHED_", "XLOG_", "LD_"))}
        return {**clean, "PYTHONPATH": str(PACKAGE), "XSCHED_CUDA_LIB": str(GIVEN.driver), "XLOG_LEVEL": "WARN",
                "XSCHED_SOCKET": str(self.folder / "nobody.sock"), "PYTHONDONTWRITEBYTECODE": "1", **more}

    def python(self, *words, **more):
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=60,
                              env=self.environment(**more))

    def script(self, text):
        path = self.folder / "script.py"
        path.write_text(text)
        return str(path)

    def test_every_ending_is_a_good_one(self):
        for name, text in ENDINGS.items():
            with self.subTest(name):
                done = self.python("-X", "faulthandler", self.script(DRIVER + "import xsched\n" + text),
                                   LD_PRELOAD=str(GIVEN.libraries / "libshimcuda.so"), XSCHED_SCHEDULER="local")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertNotIn("Traceback", done.stderr)

    def run_with(self, *words, **more):
        return self.python("-m", "xsched", "run", "--scheduler", "local", *words,
                           LD_LIBRARY_PATH=str(GIVEN.libraries), **more)

    def test_run_gives_the_script_a_priority(self):
        script = self.script(DRIVER + "import xsched\nwrite(1)\n"
                             "print(sys.argv[1:], xsched.Queue(stream.value).priority)")
        done = self.run_with("--priority", "5", script, "--priority", "7", "a b")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.strip(), "['--priority', '7', 'a b'] 5")
        self.assertEqual(self.run_with("-p-5", "--", script).stdout.strip(), "[] -5")
        self.assertEqual(self.run_with("-p=6", script, "--").stdout.strip(), "['--'] 6")

    def test_run_takes_modules_and_commands(self):
        self.assertEqual(self.run_with("-c", "import sys; print(sys.argv)", "x").stdout.strip(), "['-c', 'x']")
        done = self.run_with("-m", "json.tool", self.script('{"a": 1}'))
        self.assertEqual(done.stdout, '{\n    "a": 1\n}\n')

    def test_run_hands_the_exit_status_on(self):
        self.assertEqual(self.run_with("-c", "raise SystemExit(7)").returncode, 7)

    def test_run_has_every_option_of_xcli_run(self):
        xcli = self.python("-c", "from xsched import _libraries; print(_libraries.tool('xcli'))",
                           LD_LIBRARY_PATH=str(GIVEN.libraries)).stdout.strip()
        text = subprocess.run([xcli, "run", "--help"], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
        names = set(re.findall(r"(?m)^ .*?(--[a-z][a-z0-9-]+)", text)) - {"--help", "--scheduler"}  # run_with's own
        self.assertIn("--slo-p99", names)
        values = {"--slo-p99": "5ms", "--policy": "HPF", "--log": "INFO", "--lax-priority": "3",
                  "--critical-priority": "4", "--level": "1", "--timeslice": "500", "--json": None, "--tell": None,
                  "--no-tell": None, "--memory-limit": "20GiB", "--pool": None, "--grace-period": "2s",
                  **dict.fromkeys(("--evictable", "--no-evictable", "--background", "--no-background",
                                     "--side-by-side", "--no-side-by-side"))}
        for name in sorted(names):
            value = values.get(name, "2")
            words = [name] if value is None else [name, value]
            if name in ("--max-restarts", "--grace-period"):  # refused without
                words.insert(0, "--pool")
            done = self.run_with(*words, "-c", "print('it runs')")
            self.assertEqual((done.returncode, done.stdout), (0, "it runs\n"), (name, done.stderr))
        said = self.python("-m", "xsched", "run", "--help", LD_LIBRARY_PATH=str(GIVEN.libraries)).stdout
        self.assertIn("--critical-priority", said)

    def test_run_says_what_is_wrong(self):
        for words, sentence in ((["run"], "say which script"), (["walk"], "say what to do"),
                                (["run", "--priority"], "--priority"),
                                (["run", "--priorty", "3", "x.py"], "--priority"),
                                (["run", "--priority", "999", "x.py"], "999")):
            done = self.python("-m", "xsched", *words, LD_LIBRARY_PATH=str(GIVEN.libraries))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(sentence, done.stderr)

    def test_without_the_libraries_importing_works_and_calls_say_what_to_do(self):
        shutil.copytree(PACKAGE / "xsched", self.folder / "alone" / "xsched")
        done = self.python("-c", "import xsched; print(xsched.PRIORITY_MAX); xsched.XSched.XQueueResume(1, 0)",
                           PYTHONPATH=str(self.folder / "alone"), PATH="/usr/bin:/bin")
        self.assertEqual(done.stdout, "255\n")
        self.assertIn("put the folder of its libraries into LD_LIBRARY_PATH", done.stderr)

    def test_a_library_path_set_inside_python_is_enough(self):
        done = self.python("-c", f"import os; os.environ['LD_LIBRARY_PATH'] = {str(GIVEN.libraries)!r}\n"
                           "import xsched; print(xsched.XSched.XQueueResume(1, 0).name)")
        self.assertEqual(done.stdout, "kXSchedErrorNotFound\n", done.stderr)

    def test_without_the_shim_it_warns(self):
        done = self.python("-c", DRIVER.replace('"libcuda.so.1"', repr(str(GIVEN.driver))) +
                           "import xsched; xsched.Queue(stream.value, priority=1)",
                           LD_LIBRARY_PATH=f"{GIVEN.libraries}:{self.put_driver()}", XSCHED_SCHEDULER="app")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("RuntimeWarning: libshimcuda.so is not loaded", done.stderr)

    def put_driver(self):
        (self.folder / "libcuda.so.1").symlink_to(GIVEN.driver)
        return self.folder

    def test_environment_set_in_the_program_counts(self):
        """Before the first call of the driver; `import torch` comes after it in real programs."""
        text = "import os\nos.environ['XSCHED_SCHEDULER'] = 'LCL'; os.environ['XSCHED_POLICY'] = 'HPF'\n" + DRIVER
        done = self.python("-c", text + "write(1)", LD_PRELOAD=str(GIVEN.libraries / "libshimcuda.so"),
                           XLOG_LEVEL="INFO")
        self.assertRegex(done.stderr, r"\[INFO @ T\d+ @ \d\d:\d\d:\d\d\.\d{6}\] using local scheduler with policy HPF")

    def test_installed_it_finds_its_libraries(self):
        """PREFIX/lib and PREFIX/lib/python3/dist-packages, as `make install` has it."""
        packages = self.folder / "prefix" / "lib" / "python3" / "dist-packages"
        shutil.copytree(PACKAGE / "xsched", packages / "xsched")
        (self.folder / "prefix" / "lib" / "libpreempt.so").symlink_to(GIVEN.libraries / "libpreempt.so")
        done = self.python("-c", "import xsched; print(xsched.__file__, xsched.XSched.XQueueResume(1, 0).name)",
                           PYTHONPATH=str(packages), PATH="/usr/bin:/bin")
        self.assertEqual(done.stdout, f"{packages}/xsched/__init__.py kXSchedErrorNotFound\n", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--libraries", type=Path, required=True, help="the folder of libpreempt.so")
    parser.add_argument("--driver", type=Path, required=True, help="libfakecuda.so")
    GIVEN = parser.parse_args()
    unittest.main(argv=sys.argv[:1])
