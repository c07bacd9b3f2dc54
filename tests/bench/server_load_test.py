#!/usr/bin/python3
"""The results of bench/attacks.py and bench/server_load.py from measurements made up here."""
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import attacks  # noqa: E402
import server_load  # noqa: E402


def figures(*rounds, failures=0, p50_us=30.0):
    return {"p99_us_of_rounds": list(rounds), "failures": failures, "p50_us": p50_us, "looks": 1000, "looks_in_d": 0}


def found(*three, **more):
    """Returns the figures of each attack: rounds beside it, rounds without it, and rounds beside the burner."""
    return {"attacks": [{**figures(*beside), "alone": figures(*nobody), "burner": figures(*burner),
                         "within_limits": True, "tool_p50_ms": 1.0, "resident_mib": 2, **more}
                        for beside, nobody, burner in three]}


class Verdict(unittest.TestCase):
    def judged(self, *three):
        made = found(*three)
        attacks.judge(made)
        return made

    def test_compares_within_rounds_and_takes_the_median(self):
        made = self.judged(((100, 300, 150), (50, 100, 100), (100, 100, 100)))
        self.assertEqual(made["attacks"][0]["ratio"], 2)
        self.assertEqual(made["attacks"][0]["added"], 1.5)
        self.assertEqual(made["attacks"][0]["quietest_p99_us"], 100)
        self.assertTrue(made["attacks"][0]["met"])
        self.assertIn("1 of 1 attacks at most 2 x", attacks.verdict(made))

    def test_a_machine_that_stood_still_beside_nobody_makes_no_attack_look_harmless(self):
        made = self.judged(((300, 300, 300), (9000, 100, 100), (100, 100, 100)))
        self.assertEqual(made["attacks"][0]["ratio"], 3)
        self.assertTrue(made["attacks"][0]["met"], "what is asked is asked of the p50")
        self.assertIn("stood still in 1 of 3 rounds", attacks.verdict(made))

    def test_says_when_nothing_can_be_said(self):
        made = self.judged(((300, 300), (9000, 9000), (100, 100)))
        self.assertIsNone(made["attacks"][0]["ratio"])
        self.assertIn("allows no verdict", attacks.verdict(made))

    def test_what_is_asked_of_each_attack(self):
        rounds = ((50,), (50,), (50,))
        for more in ({"p50_us": 61.0}, {"looks_in_d": 1}, {"tool_p50_ms": 101.0}, {"within_limits": False},
                     {"resident_mib": attacks.MOST_MIB + 1}):
            made = found(rounds, **more)
            attacks.judge(made)
            self.assertFalse(made["attacks"][0]["met"], more)
        self.assertIn("0 of 1 attacks: p50", attacks.verdict(made))

    def test_an_attack_beside_which_the_victim_failed_is_not_met(self):
        made = found(((50,), (50,), (50,)))
        made["attacks"][0]["failures"] = 1
        attacks.judge(made)
        self.assertFalse(made["attacks"][0]["met"])


class Processors(unittest.TestCase):
    def chosen(self, allowed, threads_of_a_core):
        with mock.patch.object(server_load, "siblings", lambda one: str(one // threads_of_a_core)):
            return server_load.choose(allowed)

    def test_two_cores_and_not_the_first_where_there_are_more(self):
        self.assertEqual(self.chosen(range(16), 2), {2, 4})
        self.assertEqual(self.chosen(range(4), 1), {1, 2})

    def test_what_there_is(self):
        self.assertEqual(self.chosen({0, 1}, 1), {0, 1})
        self.assertEqual(self.chosen({0, 1}, 2), {0, 1})
        self.assertEqual(self.chosen({3}, 1), {3})


if __name__ == "__main__":
    unittest.main()
