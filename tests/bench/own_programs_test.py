#!/usr/bin/python3
"""xcli report's arithmetic, verdicts and pages on measurements made up here."""
import json
import math
import os
import re
import signal
import socket
import sys
import tempfile
import types
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from lib import comparison, own_findings, own_measuring, own_page, own_processes, own_verdict  # noqa: E402
from lib import plots, spread  # noqa: E402

MS = 1_000_000


def way(name, ms, kept=(), count=200):
    """Bursts around `ms`, a tenth of them half as long again."""
    latency = [ms * 1e3 * (1.5 if i % 10 == 0 else 1) * (1 + i % 7 / 1000) for i in range(count)]
    lane = {"bursts": [[0, int(ms * MS)]], "works": [[0, 3 * MS]], "held": [[3 * MS, 9 * MS]], "ns": 100 * MS}
    return comparison.Way(name, name, {"natively": "native", "XSched": "xsched"}.get(name, "alone"), latency,
                          [ms * 1e3, ms * 1.1e3], list(kept), lane if kept else None)


def found(alone, native, xsched, count=200, **more):
    return own_findings.Found(
        ways=[way("alone", alone, count=count), way("natively", native, (0.9, 0.8), count),
              way("XSched", xsched, (0.7, 0.6), count)],
        rates={"native": [0.5], "xsched": [0.97]}, walls=[("urgent, alone: without XSched", [1.0, 1.2], [1.0, 1.2])],
        commands=[("urgent", "./a <b>"), ("the other", "./c | d")], rounds=2, limit=1.5, measured=["alone"],
        devices={"GPU:1 (cuda)"}, notes=["a note"], version="1", date="2026-11-23", **more)


class Spread(unittest.TestCase):
    def test_the_median_of_six_lies_between_least_and_most(self):
        self.assertEqual(spread.ranks(6, 50), (0, 5))
        self.assertEqual(spread.ranks(5, 50), (None, None))

    def test_intervals_hold_what_they_promise(self):
        """The probability that the quantile lies between the ranks, summed up as it is defined."""
        for count, percent in ((6, 50), (30, 50), (100, 90), (400, 99)):
            low, high = spread.ranks(count, percent)
            part = percent / 100
            inside = sum(math.comb(count, i) * part ** i * (1 - part) ** (count - i) for i in range(low + 1, high + 1))
            self.assertGreaterEqual(inside, 0.95, (count, percent))

    def test_a_tail_of_few_values_has_no_upper_bound(self):
        self.assertEqual(spread.interval(range(100), 99)[1], None)
        self.assertEqual(spread.shown(*spread.interval(range(100), 99), str), "at least 95")

    def test_many_values_take_no_time(self):
        low, high = spread.ranks(1_000_000, 99)
        self.assertTrue(989_000 < low < 990_000 < high < 991_000)


class Seen(unittest.TestCase):
    def setUp(self):
        self.seen = own_measuring.Seen()

    def change(self, ms, kind, slot=0):
        self.seen.change([ms * MS, kind, 7, slot, 0, 0, 0, 0])

    def test_bursts_of_queues_that_overlap_are_one(self):
        for ms, kind, slot in ((10, own_measuring.READY, 0), (12, own_measuring.READY, 1), (15, own_measuring.IDLE, 0),
                               (20, own_measuring.IDLE, 1), (40, own_measuring.READY, 0), (45, own_measuring.IDLE, 0)):
            self.change(ms, kind, slot)
        self.assertEqual(self.seen.bursts(0, 100 * MS), [(10 * MS, 10 * MS), (40 * MS, 5 * MS)])
        self.assertEqual(self.seen.bursts(0, 44 * MS), [(10 * MS, 10 * MS)])
        self.assertEqual(self.seen.began, 10 * MS)

    def test_a_hold_counts_while_there_is_work(self):
        for ms, kind in ((5, own_measuring.SUSPENDED), (10, own_measuring.READY), (15, own_measuring.RESUMED),
                         (20, own_measuring.IDLE), (25, own_measuring.SUSPENDED), (30, own_measuring.RESUMED)):
            self.change(ms, kind)
        self.assertEqual(self.seen.held, [(10 * MS, 15 * MS)])

    def test_work_that_has_not_ended_is_work(self):
        self.change(10, own_measuring.READY)
        self.assertEqual(self.seen.working(0, 30 * MS), [(10 * MS, 30 * MS)])
        self.assertEqual(self.seen.bursts(0, 30 * MS), [])

    def test_completed_commands_of_several_starts(self):
        for client, when, count in ((1, 0, 0), (1, 100, 50), (2, 100, 0), (2, 200, 100), (2, 300, 90)):
            self.seen.count(client, when, count)
        self.assertEqual(self.seen.completed(50, 150), 25 + 50)
        self.assertEqual(self.seen.completed(0, 1000), 150)  # a counter that a destroyed queue lowers stands


    def test_a_program_is_warm_once_two_seconds_are_alike(self):
        seen = own_measuring.Seen()
        self.assertFalse(seen.is_steady(0))
        rates = [10] * 4 + [0] * 4 + [60] * 4 + [100] * 12  # of each quarter of a second: it begins, compiles, works
        total, seen.began = 0, 0
        for at, rate in enumerate(rates):
            seen.count(1, at * 250 * MS, total)
            total += rate
        steady = [at for at in range(len(rates)) if seen.is_steady(at * 250 * MS)]
        self.assertEqual(steady[0], 18, "a second and a half of its last rate, and the 60 before are forgotten")
        self.assertEqual(steady, list(range(18, len(rates))))


class Verdict(unittest.TestCase):
    def said(self, *ms, **more):
        return own_verdict.verdict_of(found(*ms, **more))

    def test_a_gain_is_told_with_its_price(self):
        said = self.said(1, 48, 1.2, busy=0.3)
        self.assertIn("The urgent program's p50 falls from 48.1 ms", said)
        self.assertIn("alone 1 ms", said)
        self.assertIn("in all, bursts included, 65 % of its rate alone (natively 85 %): the urgent one has work 30 % "
                      "of the time", said)

    def test_nothing_to_be_gained_says_why(self):
        self.assertIn("nothing to gain here, because the two seldom meet", self.said(10, 10.5, 10, together=0.05))
        self.assertIn("this device runs both programs without making the urgent one wait",
                      self.said(10, 10.5, 10, together=0.9))

    def test_no_help_says_why(self):
        said = self.said(10, 30, 29.5, level=1, other_command_ms=12)
        self.assertIn("XSched does not help here, because what runs must end first", said)
        self.assertIn("12 ms", said)

    def test_faster_than_alone_proves_nothing(self):
        self.assertTrue(self.said(10, 30, 5).startswith("No verdict"))
        self.assertTrue(self.said(10, 5, 10).startswith("No verdict"))

    def test_the_time_that_the_urgent_one_leaves_is_what_the_other_is_promised(self):
        outside = "of its rate alone outside the urgent one's bursts"
        self.assertIn(f"keeps 93 % {outside}", self.said(1, 48, 1.2, busy=0.3))
        self.assertNotIn(outside, self.said(1, 48, 1.2, busy=0.99))
        for native in (1, 48):  # nothing to gain, and a gain
            said = self.said(1, native, 1, busy=0.9)
            self.assertIn(outside, said)
            self.assertIn("in all, bursts included, 65 %", said, "a table says that too")
        self.assertEqual(own_verdict.kept_of_rest(found(1, 48, 1.2, busy=0.9)), 1)

    def test_without_bursts_commands_are_counted(self):
        said = self.said(1, 48, 1.2, count=2)
        self.assertIn("under XSched it gets 97 % of its rate alone, natively 50 %", said)

    def test_so_few_bursts_are_no_certainty(self):
        self.assertTrue(self.said(10, 13, 11.5, count=6).startswith("No verdict"))


class Doubts(unittest.TestCase):
    def test_more_than_alone_is_no_usual_rate(self):
        measuring = types.SimpleNamespace(turns={})
        watch = types.SimpleNamespace(note="")
        ways = [way("alone", 1), way("natively", 2, (1.85, 1.59)), way("XSched", 1, (2.1, 1.92))]
        self.assertRegex(own_findings.doubts_of(measuring, watch, ways)[0], "did 201 ?% of what it did alone")
        self.assertEqual(own_findings.doubts_of(measuring, watch, [ways[0], way("natively", 2, (1.1, 1.2))]), [])


class Page(unittest.TestCase):
    def test_html_needs_nothing_else_and_says_the_verdict_first(self):
        text = own_page.html(found(1, 48, 1.2, doubts=["it was <busy>"]))
        self.assertIn("No verdict: it was &lt;busy&gt;. As it was measured: The urgent program", text)
        self.assertNotIn("<script", text)
        self.assertNotIn("http://", text.replace("http://www.w3.org/2000/svg", ""))
        self.assertLess(text.index("falls from"), text.index("<svg"))
        self.assertIn("./a &lt;b&gt;", text)
        self.assertIn('aria-label="How long the urgent program&#x27;s bursts took', text)

    def test_markdown_has_its_pictures_beside_it(self):
        with tempfile.TemporaryDirectory() as folder:
            own_page.write(found(1, 48, 1.2), Path(folder) / "r.md")
            text = (Path(folder) / "r.md").read_text()
            images = sorted(path.name for path in Path(folder).glob("*.svg"))
            self.assertEqual(images, ["r-1.svg", "r-2.svg", "r-3.svg", "r-4.svg"])
            for name in images:
                self.assertIn(f"({name})", text)
                xml.fromstring((Path(folder) / name).read_text())
        self.assertIn("| alone | 200 |", text)

    def test_all_times_of_the_tables_have_one_unit(self):
        for alone, native, unit in ((0.35, 48, "ms"), (0.35, 2.5, "us"), (0.4, 2500, "ms"), (1200, 4800, "s")):
            ways = found(alone, native, 1.2 * alone).ways
            times = re.findall(r"[0-9.]+ (\w*s)\b", str([*comparison.tables(ways), *own_page.tiles(ways)]))
            self.assertEqual(set(times), {unit}, times)
            self.assertNotIn("e+", str(comparison.tables(ways)))

    def test_pages_without_a_burst(self):
        empty = found(1, 48, 1.2, count=0)
        for each in empty.ways:
            each.rounds_p50_us, each.lane = [], None
        self.assertIn("completed commands are counted", own_page.html(empty))
        json.dumps(own_findings.numbers(empty))

    def test_pictures_are_told_in_words(self):
        for picture in comparison.pictures(found(1, 48, 1.2).ways):
            self.assertIn("XSched", plots.in_words(picture))


class Processes(unittest.TestCase):
    def test_nobody_is_left_behind(self):
        with own_processes.Place() as place:
            running = place.start(["sh", "-c", "setsid sleep 1000 & sleep 1001 & sleep 1002"])
            while len(descendants(running.session)) < 3:
                os.sched_yield()
            everybody = descendants(running.session)
            running.stop()
        for pid in everybody:
            self.assertFalse(Path(f"/proc/{pid}").exists(), pid)
        self.assertFalse(place.folder.exists())
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def test_a_server_answers_once_it_listens(self):
        with tempfile.TemporaryDirectory() as folder, \
                socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
            path = Path(folder) / "sock"
            self.assertFalse(own_processes.accepts(path))
            server.bind(str(path))
            self.assertFalse(own_processes.accepts(path), "its file is there")
            server.listen()
            self.assertTrue(own_processes.accepts(path))

    def test_a_failure_is_told_with_its_last_words(self):
        with own_processes.Place() as place:
            running = place.start(["sh", "-c", "echo oh no; exit 3"])
            while not running.ended():
                own_processes.pause([running], 0.05)
            with self.assertRaisesRegex(own_processes.ProgramFailed, "mine ended with status 3 .*\noh no"):
                running.check("mine")
        signal.signal(signal.SIGINT, signal.default_int_handler)


def descendants(pid):
    """All that descend from it."""
    found_pids = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        for child in (task / "children").read_text().split():
            found_pids += [int(child), *descendants(int(child))]
    return found_pids


if __name__ == "__main__":
    unittest.main()
