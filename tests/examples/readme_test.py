#!/usr/bin/python3
"""The commands of README.md, of docs/USING.md's first section, and of the examples' READMEs, run as they are typed,
right after building: in a copy of the tree that holds what they name and nothing else, by one shell after the other.

    readme_test.py --build BUILD     stands for build/release
"""
import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILDS = "make && "                   # stands before the first command that needs what is built
OWN_PROGRAMS = """import os
os.execv("named/python3", ["python3", os.environ["TASKS"]])
"""
SHORT = ("app 500", "app 10")         # a terminal's program; one in the background runs on until it is killed
LOOKED_AT = ("xcli top", "xcli web")  # until the test ends it
TIMEOUT_SECONDS = 600                 # safety: a machine with ten jobs on each processor
LOOK = """looked_at() (  # a shell of its own, since the others' $! is the program that they are about
    "$@" > said &
    for i in {1..900}; do [ -s said ] && break; sleep 0.1; done
    kill $! 2> /dev/null || true
    wait $! || [ $? = 143 ]
    cat said
    rm said
)
"""
UNTIL_IT_RUNS = "for i in {1..900}; do xcli list | grep -q '^ *'$!'\\b' && break; sleep 0.1; done"
TASK = re.compile(r"^Task \d+ completed in \d+ ms$", re.M)
UNTIL_IT_SERVES = "for i in {1..900}; do $PREFIX/bin/xcli status > /dev/null 2>&1 && break; sleep 0.1; done"
EXAMPLES = sorted(path.parent.name for path in (ROOT / "examples").glob("[1-4]_*/README.md"))  # 5: see examples_test.py
BUILD = Path(".")


def blocks(readme, section=""):
    """The shell commands of each block of a section, without what is said beside them. A block of another language, or
    of what a program prints, does not begin with a word of ours."""
    text = (ROOT / readme).read_text()
    if section:
        text = text.split(section + "\n", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"^```\n(.*?)^```$", text, re.M | re.S)
    commands = [[re.sub(r"\s+#.*", "", line) for line in block.splitlines()] for block in found]
    return [block for block in commands if re.match(r"(export|make|xcli|LD_PRELOAD|\$PREFIX)\b", block[0])]


class Readme(unittest.TestCase):
    def setUp(self):
        self.tree = Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(ROOT / "examples", self.tree / "examples",
                        ignore=lambda _, names: [name for name in names if re.fullmatch(r"app\w*", name)])
        for name in ("include", "python"):
            (self.tree / name).symlink_to(ROOT / name)
        (self.tree / "build").mkdir()
        (self.tree / "build" / "release").symlink_to(BUILD)
        (self.tree / "run").mkdir(mode=0o700)
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("XSCHED_", "XLOG_", "LD_"))}
        self.environment.update(XDG_RUNTIME_DIR=str(self.tree / "run"), XLOG_LEVEL="INFO")

    def run_lines(self, lines, folder="."):
        """(exit status, output): of one shell, which ends with the first command that fails, and with what it left."""
        shell = subprocess.Popen(["bash", "-e", "-c", LOOK + "\n".join(lines)], cwd=self.tree / folder, text=True,
                                 env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        try:
            said = shell.communicate(timeout=TIMEOUT_SECONDS)[0]
        finally:
            with contextlib.suppress(ProcessLookupError):  # a server in the background outlives a shell that was killed
                os.killpg(shell.pid, signal.SIGKILL)
        return shell.returncode, said

    def works(self, lines, folder="."):
        """Runs these lines, which must succeed, and returns their output."""
        lines = list(lines)
        status, said = self.run_lines(lines, folder)
        log = self.tree / "run" / "xsched" / "xserver.log"
        server_said = log.read_text() if status != 0 and log.exists() else ""
        self.assertEqual(status, 0, "\n".join([*lines, said, server_said]))
        return said

    def typed(self, block):
        """As a person has it: looks at what goes on without end, and ends what is in the background."""
        for line in block:
            if line in LOOKED_AT:
                yield f"looked_at {line}"
            elif "xserver" in line:
                yield f"{line}\ntrap 'kill '$!' || true' EXIT\n{UNTIL_IT_SERVES}"
            elif "doctor --run" in line:  # it takes a minute, and ends by what the machine has
                continue
            elif line.endswith("&"):
                yield f"{line}\ntrap 'kill -9 '$! EXIT\n{UNTIL_IT_RUNS}"
            else:
                yield line.replace(*SHORT)

    def test_the_readmes_commands_work_as_they_are_typed(self):
        _, use, see, _ = blocks("README.md")  # the first and the last one build and install: make fresh, tests/install
        self.assertTrue(use[0].startswith(BUILDS), use)
        use[0] = use[0].removeprefix(BUILDS)
        self.works(["make -C examples/1_transparent_sched opencl"])
        (self.tree / "named").mkdir()  # the programs' processes have the name that the README gives
        (self.tree / "named" / "python3").symlink_to("../examples/1_transparent_sched/app")
        for name in ("serve.py", "train.py"):
            (self.tree / name).write_text(OWN_PROGRAMS)
        said = self.works(["export TASKS=10", *self.typed(use)])
        self.assertEqual(len(TASK.findall(said)), 20, said)
        self.assertEqual(said.count("using global scheduler"), 2, said)
        said = self.works(["export TASKS=500", use[0], *self.typed([use[-1] + " > /dev/null &", *see])])
        self.assertRegex(said, r"(?m)^pid \d+ \(python3[^)]*\):", "the program in xcli explain")
        self.assertIn("http://", said, "the address of xcli web")

    def test_what_is_used_every_day_works_as_it_is_typed(self):
        terminals, steering, by_hand = blocks("docs/USING.md", "## Every day")
        exports = [line for line in terminals if line.startswith("export ")]
        said = self.works(self.typed(terminals))
        self.assertEqual(len(TASK.findall(said)), 20, said)
        self.assertEqual(said.count("using global scheduler"), 2, said)
        said = self.works([*exports, *self.typed(steering)])
        self.assertRegex(said, r"(?m)^.*\bapp\b", "the program in xcli list")
        self.assertIn("XSCHED_SCHEDULER", said)
        said = self.works([*exports, *self.typed(["xserver HPF &", *by_hand])])
        self.assertIn("using local scheduler with policy HPF", said)
        self.assertIn("using global scheduler (xserver", said)

    def test_the_examples_commands_work_as_they_are_typed(self):
        for name in EXAMPLES:
            lines = [line for block in blocks(f"examples/{name}/README.md") for line in self.typed(block)]
            said = self.works(lines, f"examples/{name}")
            self.assertRegex(said, r"Task \d+ completed in \d+ ms")
            self.assertNotIn("WARN", said)
        self.assertEqual(len(EXAMPLES), 4)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    BUILD = parser.parse_args().build.resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
