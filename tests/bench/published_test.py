#!/usr/bin/python3
"""The published workloads without a GPU: their files, when requests come, what is run, and what comes of it."""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import published as tool  # noqa: E402
import published_page  # noqa: E402
from fakes import FakeProgram  # noqa: E402
from lib import arrivals, backend, peers, published, published_run  # noqa: E402

MS = 1_000_000
PROGRAM = """
id = "T"
name = "t"
source = "s"
seed = 7
asks = { percentile = 50, most = 1.5, background = 0.5 }
claims = [{ by = "them", hardware = "theirs", number = "+2 %" }]
[[variant]]
id = "A"
name = "a pair"
programs = [
    { role = "urgent", model = "m", arrival = { kind = "poisson", per_s = 50 } },
    { role = "background", model = "n", task = "training" },
]
"""


class Session:
    """Every 20 ms an urgent request: 5 ms, beside another program natively 20 ms, under XSched 6. The background ends
    a step every 4 ms alone, else every 8."""

    def __init__(self, broken=""):
        self.started, self.broken = [], broken

    def start(self, _, options, prefix=(), folder=None):
        way, role = Path(prefix[0]).name, prefix[2]
        self.started.append((way, role, options))
        if way == self.broken:
            return FakeProgram(None)
        beside = sum(each[0] == way for each in self.started[-2:]) == 2
        if role == "hp":
            return FakeProgram([[i * 20 * MS, {"xsched": 6, "mps": 20}.get(way, 5) * MS] for i in range(50)])
        return FakeProgram([[i * (8 if beside else 4) * MS, 4 * MS] for i in range(240)])


class Quiet:
    def doing(self, _):
        pass

    def wait(self, _):
        pass


def variant_of(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.toml"
        path.write_text(text)
        return published.read(path)[0]


def measured(session, names=("native", "mps", "xsched")):
    ways = [peers.Peer(Path(name), name, ("cuda",), False, 1) for name in names]
    found = published_run.Measuring(session, Quiet(), ways, 1)
    variant = variant_of(PROGRAM)
    found.round(variant, 0)
    return variant, found


class Files(unittest.TestCase):
    def test_all_are_there_and_make_sense(self):
        found = published.read_all()
        self.assertEqual(len({variant.id for variant in found}), len(found))
        count = {name: len(published.chosen(found, [name])) for name in ("W1", "W2", "W3", "W4", "W5", "W7")}
        self.assertEqual(count, {"W1": 6, "W2": 15, "W3": 12, "W4": 3, "W5": 6, "W7": 2})
        for variant in found:
            self.assertTrue(variant.claims and all({"by", "hardware", "number"} == set(c) for c in variant.claims))
        short = published.chosen(found, list(tool.SHORT))
        self.assertGreaterEqual(len(short), 20)
        self.assertEqual({v.id.split(".")[0] for v in short}, {"W1", "W2", "W3", "W4", "W5", "W7"})
        self.assertTrue(all(len(v.programs) == 2 for v in short), "each more costs all ways a start of PyTorch")
        options = tool.parse_options(["--short"])
        self.assertTrue(options.stay)
        self.assertEqual((options.rounds, options.requests), (1, tool.SHORT_REQUESTS))

    def test_what_makes_no_sense_is_said(self):
        for change, words in ((('role = "urgent"', 'role = "high"'), "use urgent or background"),
                              (('per_s = 50', 'per_s = 0'), "neither per_s nor load"),
                              (('task = "training"', 'task = "cooking"'), "use one of inference"),
                              (('model = "n"', 'modell = "n"'), "modell is not known"),
                              (('kind = "poisson"', 'kind = "weekly"'), "use one of closed")):
            with self.assertRaisesRegex(published.Wrong, words):
                variant_of(PROGRAM.replace(*change))
        with self.assertRaisesRegex(published.Wrong, "no workload W9"):
            published.chosen(published.read_all(), ["W9"])


class Arrivals(unittest.TestCase):
    def test_the_same_seed_gives_the_same_requests_at_the_mean_rate(self):
        for kind in ("uniform", "poisson", "bursty"):
            found = arrivals.schedule(kind, 100, 200, 1)
            self.assertEqual(found, arrivals.schedule(kind, 100, 200, 1))
            self.assertEqual(found, sorted(found))
            self.assertAlmostEqual(len(found) / 20000, 1, delta=0.15)
        self.assertNotEqual(arrivals.schedule("poisson", 100, 10, 1), arrivals.schedule("poisson", 100, 10, 2))
        self.assertEqual(arrivals.schedule("closed", 0, 10, 1), [])

    def test_bursts_are_burstier_than_poisson(self):
        def spread(kind):
            counts = [0] * 200
            for at in arrivals.schedule(kind, 100, 200, 3):
                counts[int(at)] += 1
            mean = sum(counts) / 200
            return sum((count - mean) ** 2 for count in counts) / 200 / mean
        self.assertLess(spread("poisson"), 2)
        self.assertGreater(spread("bursty"), 4)

    def test_a_load_needs_the_length_of_a_request(self):
        program = published.Program("urgent", "m", arrival=published.Arrival("uniform", load=0.2))
        self.assertAlmostEqual(published.per_s(program, 0.01), 20)
        self.assertAlmostEqual(published.per_s(program, 0.01, load=0.5), 50)
        with self.assertRaisesRegex(published.Wrong, "not known"):
            published.per_s(program, None)


class Measured(unittest.TestCase):
    def test_alone_and_all_ways_with_the_same_requests(self):
        session = Session()
        measured(session)
        self.assertEqual([(way, role) for way, role, _ in session.started],
                         [("native", "hp"), ("native", "lp"), ("native", "hp"), ("native", "lp"), ("mps", "hp"),
                          ("mps", "lp"), ("xsched", "hp"), ("xsched", "lp")])
        urgent = [options for _, role, options in session.started if role == "hp"]
        self.assertEqual(len({json.dumps(options) for options in urgent}), 1)
        self.assertEqual((urgent[0]["arrival"], urgent[0]["per-s"], urgent[0]["seconds"]), ("poisson", 50, 1))
        background = [options for _, role, options in session.started if role == "lp"]
        self.assertTrue(all(options["until-eof"] and options["depth"] == 2 for options in background))

    def test_the_answer(self):
        variant, found = measured(Session())
        self.assertAlmostEqual(found.ratio("mps", 50), 4)
        self.assertAlmostEqual(found.ratio("xsched", 50), 1.2)
        out = published_run.answer(variant, found, 1)
        self.assertEqual(out.answer, ["T.A, urgent p50 of alone: native 1.00 x, mps 4.00 x, xsched 1.20 x."])
        self.assertIn("them on theirs: +2 %", out.question)
        self.assertEqual(out.status, "passed" if not out.missed else "failed")
        with tempfile.TemporaryDirectory() as folder:
            path = out.write(folder, backend.Backend("cuda", "C", Path(), "device", "vendor", "driver"))
            self.assertEqual(path.name, "bench_published_T.A.json")
        self.assertIn("p99.9", out.text())

    def test_a_way_that_fails_is_said_and_the_others_go_on(self):
        _, found = measured(Session(broken="mps"), ("native", "mps", "xsched"))
        self.assertEqual(found.failures, ["mps: it ended with status 1"])
        self.assertIsNotNone(found.ratio("xsched", 50))


class Page(unittest.TestCase):
    def test_a_table_a_picture_and_the_claims_of_each_workload(self):
        found = published.chosen(published.read_all(), ["W2.R1"])[0]
        ways = [peers.Peer(Path(name), name, ("cuda",), False, 1) for name in ("native", "mps", "xsched")]
        measuring = published_run.Measuring(Session(), Quiet(), ways, 1)
        measuring.round(found, 0)
        measuring.failures.append("static_timeslices: not here\nand more")
        with tempfile.TemporaryDirectory() as folder:
            made = published_run.answer(found, measuring, 1)
            made.write(folder, backend.Backend("cuda", "C", Path(), "a device", "vendor", "driver 1"))
            self.assertEqual(published_page.main([folder, "--to", folder]), 0)
            self.assertNotIn("For longer", (Path(folder) / "published.md").read_text())
            self.assertEqual(published_page.main([folder, "--to", folder, "--longer", folder, "--apart", folder]), 0)
            text, drawn = ((Path(folder) / name).read_text() for name in ("published.md", "W2.svg"))
            figures = json.loads((Path(folder) / "published.json").read_text())
        self.assertIn("Orion, on its paper's own GPU", text.replace("\n", " "))
        self.assertIn("| W2.R1: ResNet-50 at 15/s beside ResNet-50 in training | 50 | 5000 us / 5000 us |", text)
        self.assertIn("4.00 x | - | 6000 us / 6000 us, **1.20 x** missed | 1.15 x |", text)
        self.assertIn("For longer, alone and under XSched, as XSched's bars in the picture: a device",
                      text.replace("\n", " "))
        self.assertIn("| W2.R1 | 50 | 5000 us / 5000 us | 6000 us / 6000 us, **1.20 x** missed | 1.15 x |", text)
        apart = text.split("In runs of their own: a device", 1)[1]
        self.assertIn("| natively; p99 of alone | MPS | XSched | asked |", apart)
        self.assertIn("- W2.R1: static_timeslices: not here\n", text)
        self.assertIn("![W2](W2.svg)", text)
        self.assertIn("MPS: R1 4; XSched: R1 1.2", drawn)
        self.assertEqual([each["id"] for each in figures], ["W2.R1"])
        self.assertAlmostEqual(figures[0]["kept"]["xsched"], measuring.kept_of_left("xsched"), places=3)

    def test_the_picture_has_the_longer_run_of_xsched_alone(self):
        def run(xsched):
            latency = {way: {"p99": value} for way, value in (("alone", 10), ("native", 40), ("xsched", xsched))}
            return {"id": "W2.R1", "name": "W2.R1: it", "latency_us": latency}
        drawn = published_page.picture("W2", [run(15)], [run(11)])
        self.assertEqual({each["name"]: each["values"] for each in drawn["series"]},
                         {"natively": [4.0], "XSched": [1.1]})

    def test_the_page_is_made_again_of_its_own_figures_and_of_a_file_of_runs(self):
        results = ROOT / "bench" / "results"
        known = [str(results / "published" / f"{name}.json") for name in ("published", "longer", "apart")]
        runs = str(results / "h200" / "pool_W1.json")
        with tempfile.TemporaryDirectory() as folder:
            words = [known[0], "--longer", known[1], "--apart", runs, "--apart", known[2], "--to", folder]
            self.assertEqual(published_page.main(words), 0)
            text = (Path(folder) / "published.md").read_text()
        where = "../bench/results/published/"
        text = re.sub(r"\((published.json|W\d.svg)\)", lambda found: f"({where}{found[1]})", text)
        self.assertEqual(text, (ROOT / "docs" / "published.md").read_text())
        self.assertIn("| 1095 us / 1904 us, 1.15 x | 1.1 x | -, 88, 223, 201 |", text)

    def test_nothing_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(published_page.main([folder, "--to", folder]), 2)


class CommandLine(unittest.TestCase):
    def said(self, *words):
        ended = subprocess.run([sys.executable, "-B", ROOT / "bench" / "published.py", *words], text=True,
                               capture_output=True, timeout=60)
        return ended.returncode, ended.stdout + ended.stderr

    def test_lists_and_plans_without_a_gpu(self):
        self.assertIn("W1.A ", self.said("--list")[1])
        status, text = self.said("--dry-run", "--only", "W1.A,W4.fig9")
        self.assertEqual(status, 0)
        self.assertIn("xsched run hp workload.py --model vgg19", text)
        self.assertIn("--arrival uniform --per-s 100", text)
        self.assertIn("--per-s (measured first)", text)

    def test_says_why_nothing_is_measured(self):
        self.assertEqual(self.said("--build", "/nowhere")[0], 0)
        self.assertIn("skipped: there is no XSched in /nowhere", self.said("--build", "/nowhere")[1])
        self.assertEqual(self.said("--only", "W9")[0], 2)
        self.assertEqual(self.said("--load", "2")[0], 2)


if __name__ == "__main__":
    unittest.main()
