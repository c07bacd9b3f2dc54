#!/usr/bin/env python3
"""The verdicts of the matrix of programs, and that its page says the same as its result."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import comparing  # noqa: E402
import page  # noqa: E402
import row  # noqa: E402
import rows  # noqa: E402
import trial  # noqa: E402

LINE = "[WARN @ T12 @ 01:02:03.000004] no xserver answers"


def ended(out="", errors="", status=0, descriptors=(), threads=(), files=None):
    return trial.Ended(status, out, errors, 1.0, list(descriptors), list(threads), files or {})


def a_row(**more):
    return row.Row("a", ("true",), **more)


class Comparing(unittest.TestCase):
    def seen(self, given, **more):
        return comparing.output(given, ended(**more), "/place")

    def test_masks_and_places_are_not_compared(self):
        given = a_row(masks=(row.Mask(r"\d+ us", "a time"),))
        self.assertEqual(self.seen(given, out="took 12 us in /place"), self.seen(given, out="took 9 us in /place"))
        self.assertNotEqual(self.seen(given, out="took 12 us"), self.seen(given, out="needed 12 us"))

    def test_a_line_that_a_mask_matches_as_a_whole_may_be_missing(self):
        given = a_row(masks=(row.Mask(r"^state: .*$", "a race"),))
        self.assertEqual(self.seen(given, out="a\nstate: 1\nb"), self.seen(given, out="a\nb"))
        self.assertNotEqual(self.seen(given, out="a\nstate: 1\nb"), self.seen(given, out="a\nc"))

    def test_our_own_lines_are_no_output_of_the_program(self):
        self.assertEqual(self.seen(a_row(), errors=f"its own\n{LINE}\n"), self.seen(a_row(), errors="its own\n"))
        self.assertEqual(len(ended(errors=f"its own\n{LINE}\n").messages), 1)
        self.assertNotEqual(self.seen(a_row(), errors="its own\n"), self.seen(a_row(), errors=""))

    def test_order_counts_unless_the_row_says_otherwise(self):
        self.assertNotEqual(self.seen(a_row(), out="a\nb\n"), self.seen(a_row(), out="b\na\n"))
        given = a_row(unordered="threads print")
        self.assertEqual(self.seen(given, out="a\nb\n"), self.seen(given, out="b\na\n"))

    def test_files_are_compared(self):
        native, ours = (self.seen(a_row(), files={"x": digest}) for digest in ("1", None))
        differs = comparing.output_differences(native, ours)
        self.assertEqual(differs, ["x: - 1 | + not there"])

    def test_what_is_ours_is_counted_apart(self):
        native = ended(descriptors=["/dev/null", "anon_inode:[eventfd]"], threads=["a", "a"])
        under = ended(descriptors=["/dev/null", "anon_inode:[eventfd]", "socket to /s",
                                   "/proc/12/status"], threads=["a", "a", "xsched-agent"])
        self.assertEqual(comparing.leftover_differences(a_row(), [native], under, "/s"), [])
        self.assertEqual(len(comparing.leftover_differences(a_row(), [native], under, "/other")), 1)
        more = ended(descriptors=["/dev/null"], threads=["a", "a", "a"])
        self.assertEqual(len(comparing.leftover_differences(a_row(), [native], more, "/s")), 2)
        self.assertEqual(comparing.leftover_differences(a_row(), [native, more], more, "/s"), [])
        self.assertEqual(len(comparing.leftover_differences(a_row(threads_vary="so it is"), [native], more, "/s")), 1)


class Running(unittest.TestCase):
    """The last moment of real processes."""

    def run_python(self, code, **more):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "run").mkdir()
        command = [sys.executable, "-c", code]
        return trial.run(command, folder, trial.bare_environment(), more.pop("seconds", 30), **more)

    def test_open_files_and_threads_are_seen(self):
        seen = self.run_python("import os, threading, time\n"
                               "file = open('/etc/passwd')\n"
                               "ended = threading.Thread(target=int); ended.start(); ended.join()\n"
                               "while len(os.listdir('/proc/self/task')) > 1: time.sleep(0.001)\n"
                               "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
                               "print('out', flush=True)\nos._exit(3)")
        self.assertEqual((seen.status, seen.out), (3, "out\n"))
        self.assertIn("/etc/passwd", seen.descriptors)
        self.assertEqual(len(seen.threads), 2)

    def test_signals_arrive_and_tell_how_it_ended(self):
        seen = self.run_python("import time; time.sleep(60)", signals=(0.5, 15))
        self.assertEqual((seen.status, seen.was_running), (-15, True))
        self.assertFalse(self.run_python("pass", signals=(20, 15)).was_running)

    def test_faults_tell_where(self):
        seen = self.run_python("import ctypes; ctypes.string_at(1)")
        self.assertEqual(seen.status, -11)
        self.assertRegex(seen.faults[0], r"^SIGSEGV in thread \S+ at libc\S*\+0x[0-9a-f]+; on its stack: .*ctypes")

    def test_what_does_not_end_is_ended(self):
        seen = self.run_python("import time; time.sleep(60)", seconds=1)
        self.assertIsNone(seen.status)
        self.assertRegex(seen.standing[0], r"^\S+ [A-Z]")


class Page(unittest.TestCase):
    def test_the_page_says_what_the_result_says(self):
        document = json.loads(page.RESULT.read_text())
        text = page.PAGE.read_text()
        self.assertEqual(page.page_with(text, page.text(document)), text, "run tests/guest/matrix/page.py")

    def test_each_program_has_one_name_and_each_mask_a_reason(self):
        names = [each.name for each in rows.ROWS]
        self.assertEqual(sorted(names), sorted(set(names)))
        for each in rows.ROWS:
            self.assertTrue(all(mask.why for mask in each.masks), each.name)

    def test_what_differs_is_named(self):
        ways = {way: {"same": True, "differs": []} for way in page.WAYS}
        ways["victim"] = {"same": False, "differs": ["exit status 1, natively 0"]}
        tried = {"name": "a", "says": "", "when": "2026-01-01", "xsched": "c", "ways": ways}
        document = {"system": "s", "kernel": "k", "versions": {},
                    "programs": [tried, {"name": "b", "skipped": "no GPU"}]}
        text = page.text(document)
        self.assertIn("- a, victim: `exit status 1, natively 0`", text)
        self.assertIn("| a | same | same | same | **differs** | same | same | not seen |", text)
        self.assertIn("- b: no GPU", text)


if __name__ == "__main__":
    unittest.main()
