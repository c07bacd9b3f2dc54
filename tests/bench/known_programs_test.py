#!/usr/bin/env python3
"""bench/cuda/programs.py: programs that wait for their turns, and the medians of their rounds."""
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "cuda")]
import programs as known  # noqa: E402
from fakes import InAFolder  # noqa: E402
from lib import peers, programs  # noqa: E402

PROGRAM = """import json, sys
sys.path.insert(0, {examples!r})
import common
common.run(lambda seconds: {{"steps_per_second": seconds, "words": len(sys.argv)}}, "")
"""
ENDS = "print('ready', flush=True); input(); raise SystemExit('no device')\n"


class Session:
    environment = {"PATH": "/usr/bin:/bin"}

    def __init__(self, folder):
        self.folder, self.started = folder, []


class Turns(InAFolder):
    def setUp(self):
        super().setUp()
        self.session = Session(self.folder)
        self.native = next(it for it in peers.all_peers() if it.name == "native")

    def scenario(self, *texts):
        for number, text in enumerate(texts):
            (self.folder / f"p{number}.py").write_text(text)
        names = [f"p{number}" for number in range(len(texts))]
        found = known.Scenario(f"{names[0]} --more", names[1:], [self.native], self.session, self.folder)
        self.addCleanup(self.end)
        return found

    def end(self):
        for program in self.session.started:
            program.kill()
            program.process.stdin.close()
            program.process.stdout.close()

    def test_a_program_measures_when_it_is_told_to_and_may_have_words_of_its_own(self):
        text = PROGRAM.format(examples=str(ROOT / "examples" / "programs"))
        scenario = self.scenario(text, text)
        one, other = scenario.together(scenario.sets["native"], 0.25)
        self.assertEqual((one["steps_per_second"], one["words"]), (0.25, 3))
        self.assertEqual(other["words"], 2)
        self.assertEqual(scenario.together(scenario.sets["native"][1:], 2)[0]["steps_per_second"], 2)

    def test_a_program_that_ends_is_named_with_its_last_words(self):
        scenario = self.scenario(ENDS)
        with self.assertRaisesRegex(programs.ProgramFailed, "p0.*ended\nno device"):
            scenario.together(scenario.sets["native"], 1)


class Medians(unittest.TestCase):
    def test_have_the_shape_of_a_round(self):
        rounds = [{"a": {"p50": 1}, "b": 4}, {"a": {"p50": 3}, "b": 5}, {"a": {"p50": 2}, "b": 9}]
        self.assertEqual(known.medians(rounds), {"a": {"p50": 2}, "b": 5})


if __name__ == "__main__":
    unittest.main()
