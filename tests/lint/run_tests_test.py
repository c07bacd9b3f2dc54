#!/usr/bin/python3
"""scripts/run_tests.py counts what ctest and GoogleTest report: skipped and broken tests never count as passed."""
import importlib.util
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "run_tests.py"
spec = importlib.util.spec_from_file_location("run_tests", SCRIPT)
run_tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run_tests)

GOOGLETEST = """Running main() from gtest_main.cc
[==========] Running 4 tests from 1 test suite.
[ RUN      ] Ring.Empty
[       OK ] Ring.Empty (0 ms)
[ RUN      ] Ring.OnGpu
ring_test.cpp:9: Skipped
no NVIDIA driver answers

[  SKIPPED ] Ring.OnGpu (0 ms)
[ RUN      ] Ring.Full
ring_test.cpp:19: Failure
Expected equality
[  FAILED  ] Ring.Full (1 ms)
[ RUN      ] Sizes/Ring.Any/3
[  FAILED  ] Sizes/Ring.Any/3, where GetParam() = 3 (0 ms)
[==========] 4 tests from 1 test suite ran. (1 ms total)
[  PASSED  ] 1 test.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] Ring.OnGpu
[  FAILED  ] 2 tests, listed below:
[  FAILED  ] Ring.Full
[  FAILED  ] Sizes/Ring.Any/3, where GetParam() = 3
"""


def counted(status, output, skipped_message=None):
    case = xml.Element("testcase", name="ring", status=status)
    if skipped_message:
        xml.SubElement(case, "skipped", message=skipped_message)
    xml.SubElement(case, "system-out").text = output
    counts = run_tests.Counts()
    counts.add_case(case)
    return counts


class RunTests(unittest.TestCase):
    def test_googletest_cases_count_one_by_one(self):
        counts = counted("fail", GOOGLETEST)
        self.assertEqual(counts.passed, 1)
        self.assertEqual(counts.failed, ["ring: Ring.Full", "ring: Sizes/Ring.Any/3"])
        self.assertEqual(counts.skipped, [("ring: Ring.OnGpu", "no NVIDIA driver answers")])

    def test_a_crash_after_passing_cases_is_a_failure(self):
        counts = counted("fail", "[==========] Running 2 tests from 1 suite\n[       OK ] A.B (0 ms)\n")
        self.assertEqual((counts.passed, len(counts.failed)), (1, 1))

    def test_other_programs_count_as_one(self):
        self.assertEqual(counted("run", "fine").passed, 1)
        self.assertEqual(counted("fail", "not fine").failed, ["ring"])

    def test_a_skip_brings_its_reason(self):
        counts = counted("notrun", "skipped: no NVIDIA driver answers\n", "SKIP_RETURN_CODE=77")
        self.assertEqual((counts.passed, counts.failed), (0, []))
        self.assertEqual(counts.skipped, [("ring", "no NVIDIA driver answers")])

    def test_a_program_that_cannot_be_started_is_a_failure(self):
        self.assertEqual(len(counted("notrun", "", "Unable to find executable").failed), 1)

    def test_long_tests_run_only_when_asked_for(self):
        self.assertEqual(run_tests.selection(""), ["-LE", "^(long|roots)$"])
        self.assertEqual(run_tests.selection("core"), ["-L", "^core$", "-LE", "^(long|roots)$"])
        self.assertEqual(run_tests.selection("all"), [])
        self.assertEqual(run_tests.selection("long"), ["-L", "^long$"])

    def test_what_fails_runs_once_more_alone(self):
        busy, alone = [("steady", "run"), ("slow", "fail"), ("wrong", "fail")], [("slow", "run"), ("wrong", "fail")]
        counts, calls = tested([busy, alone])
        self.assertEqual(calls, [(4, ["-LE", "^(long|roots)$"]), (1, ["--rerun-failed"])])
        self.assertEqual((counts.passed, counts.only_alone, counts.failed), (2, ["slow"], ["wrong"]))

    def test_many_failures_do_not_run_again(self):
        counts, calls = tested([[(str(number), "fail") for number in range(run_tests.MOST_AGAIN + 1)]])
        self.assertEqual((len(calls), len(counts.failed)), (1, run_tests.MOST_AGAIN + 1))


def tested(reports):
    """Returns the counts after `reports` of ctest, lists of (name, status), and the arguments with which it was
    called."""
    calls, counts = [], run_tests.Counts()

    def ctest(preset, slots, which):
        report = reports[len(calls)]
        calls.append((slots, which))
        return (any(status == "fail" for _, status in report),
                [xml.Element("testcase", name=name, status=status) for name, status in report])

    original, run_tests.ctest = run_tests.ctest, ctest
    try:
        run_tests.test("dev", "", 2, counts)
    finally:
        run_tests.ctest = original
    return counts, calls


if __name__ == "__main__":
    unittest.main()
