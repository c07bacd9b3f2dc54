#!/usr/bin/python3
"""Programs that stay and take on one published workload after the other, with a PyTorch that has no device."""
import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from lib import peers, programs, published, published_stay, residents  # noqa: E402

ASKS = {"percentile": 99, "most": 1.1, "background": 0.85}
CLAIMS = ({"by": "b", "hardware": "h", "number": "n"},)


class Quiet:
    def doing(self, _):
        pass

    def wait(self, seconds):
        programs.time.sleep(seconds)

    def say(self, _):
        pass


def program(role, model="resnet50", **arrival):
    return published.Program(role, model, arrival=published.Arrival(**arrival))


def variant(*members):
    return published.Variant("T.A", "t", members, ASKS, 3, "s", CLAIMS)


URGENT, BACKGROUND = program("urgent", kind="uniform", per_s=100), program("background")


class Staying(unittest.TestCase):
    def setUp(self):
        self.session = programs.Session(ROOT)
        self.session.environment |= {"PYTHONPATH": str(ROOT / "tests/bench/fake_torch"), "PYTHONDONTWRITEBYTECODE": "1",
                                     "BENCH_FOLDER": tempfile.gettempdir()}
        self.house = residents.House(self.session, Quiet())
        self.addCleanup(self.session.__exit__)
        self.ways = [each for each in peers.all_peers() if each.name == "native"]

    def measured(self, which, **more):
        found = published_stay.Staying(self.house, Quiet(), self.ways, 0.3, **more)
        found.look(which)
        found.round(which, 0)
        return found

    def pids(self):
        return [each.process.pid for each in self.house.residents.values()]

    def test_the_same_programs_measure_one_variant_after_the_other(self):
        first = self.measured(variant(URGENT, BACKGROUND))
        self.assertEqual(first.failures, [])
        pids = self.pids()
        self.assertEqual(len(pids), 2)
        self.assertEqual([len(first.latency_us[name]) for name in ("alone", "native")], [30, 30])
        self.assertGreater(min(first.latency_us["native"]), 1000)
        self.assertTrue(all(first.rates[name][0] > 0 for name in ("background alone", "native")))
        second = self.measured(variant(URGENT, BACKGROUND, BACKGROUND))
        self.assertEqual(second.failures, [])
        self.assertEqual(self.pids()[:2], pids)
        self.assertEqual(second.latency_us["alone"], first.latency_us["alone"])  # measured once
        self.assertNotEqual(second.latency_us["native"], first.latency_us["native"])

    def test_natively_they_are_only_alone_where_nothing_else_is_asked(self):
        found = published_stay.Staying(self.house, Quiet(), self.ways, 0.3)
        found.ways_shared = []
        found.round(variant(URGENT, BACKGROUND), 0)
        self.assertEqual(found.failures, [])
        self.assertEqual((sorted(found.latency_us), sorted(found.rates)), (["alone"], ["background alone"]))

    def test_rows_are_kept_where_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            self.measured(variant(URGENT, BACKGROUND), keep_rows=Path(folder))
            kept = sorted(each.name for each in Path(folder).iterdir())
            self.assertEqual(kept, ["T.A_1_native_hp0_0.rows", "T.A_1_native_lp0_0.rows",
                                    "T.A_2_native_hp0_0.rows", "T.A_2_native_lp0_0.rows"])

    def test_logs_are_kept_with_the_rows_where_asked(self):
        self.session.environment["XLOG_LEVEL"] = "DEBG"
        with tempfile.TemporaryDirectory() as folder:
            self.measured(variant(URGENT, BACKGROUND), keep_rows=Path(folder))
            self.assertTrue((Path(folder) / "T.A_2_native_lp0_0.log").exists())

    def test_of_a_hang_the_innermost_call_is_told(self):
        resident = self.house.resident(self.ways[0], "hp", 0)
        resident.log.write_text("before\nTimeout (0:00:30)!\n  File innermost\n" + 300 * "  File outer\n")
        self.assertTrue(resident.last_words().startswith("Timeout (0:00:30)!\n  File innermost"))

    def test_a_rate_that_follows_from_a_load(self):
        found = self.measured(variant(program("urgent", kind="uniform", load=0.5), BACKGROUND))
        self.assertEqual(found.failures, [])
        self.assertTrue(found.latency_us["alone"])

    def test_what_fails_is_said_and_the_next_one_goes_on(self):
        for model, words in (("vgg19", "no memory is left"), ("resnet152", "status 3")):
            broken = self.measured(variant(program("urgent", model), BACKGROUND))
            self.assertEqual(len(broken.failures), 2)
            self.assertIn(words, broken.failures[0])
            self.assertIn("background alone", broken.rates)
            self.assertEqual(self.measured(variant(URGENT, BACKGROUND)).failures, [])

    def test_as_long_as_the_urgent_requests_need(self):
        found = published_stay.Staying(self.house, Quiet(), self.ways, 4, most_requests=90)
        for members, seconds in (([program("urgent", kind="uniform", per_s=15)], 4), ([URGENT], 2),
                                 ([program("urgent", kind="uniform", per_s=30)], 3), ([program("urgent")], 2),
                                 ([program("urgent", kind="bursty", per_s=500)], 4)):
            self.assertEqual(found.seconds_of(variant(*members, BACKGROUND)), seconds)

    def test_heavy_models_are_on_the_device_in_their_turn_alone(self):
        heavy = program("background", sorted(published_stay.HEAVY)[0])
        found = published_stay.Staying(self.house, Quiet(), self.ways, 0.1)
        found.prepare(variant(URGENT, heavy))
        has = [resident.has for resident in self.house.residents.values()]
        self.assertEqual(has, [URGENT.model_key, None])


if __name__ == "__main__":
    os.environ.pop("LD_PRELOAD", None)
    unittest.main()
