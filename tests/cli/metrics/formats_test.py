#!/usr/bin/env python3
"""Other people's readers read the numbers of xcli metrics in both formats. A reader that is not installed is skipped.

  formats_test.py --bin FOLDER --guest PROGRAM --driver LIBRARY [unittest's arguments]

FOLDER has xcli and xserver; PROGRAM (tests/guest/guest.cpp) works on LIBRARY, a fake CUDA driver.
"""
import datetime
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from exported import GIVEN, PROMETHEUS, READY_S, Exported  # noqa: E402
from script import run_tests  # noqa: E402

RULES = PROMETHEUS / "xsched-alerts.yml"
ACCEPTED = {"text/plain": "text/plain;version=0.0.4", "application/openmetrics-text": "application/openmetrics-text"}
NEEDS_PROMTOOL = unittest.skipIf(shutil.which("promtool") is None,
                                 "promtool is not installed (scripts/install_deps.sh packaging)")


def promtool(*words, text=None):
    done = subprocess.run(["promtool", *words], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


class Formats(Exported):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.texts = {kind: cls.answer(kind) for kind in ACCEPTED}

    @classmethod
    def answer(cls, kind):
        """Asks over HTTP, as Prometheus does."""
        place, token = cls.serve()
        request = urllib.request.Request(f"http://{place}/metrics", headers={
            "Accept": ACCEPTED[kind], "Authorization": f"Bearer {token.read_text().strip()}"})
        with urllib.request.urlopen(request, timeout=READY_S) as answer:
            assert answer.headers["Content-Type"].startswith(kind), answer.headers["Content-Type"]
            return answer.read().decode()

    def test_the_python_client_reads_openmetrics(self):
        try:
            from prometheus_client.openmetrics import parser
        except ImportError:
            self.skipTest("python3-prometheus-client is not installed (scripts/install_deps.sh test)")
        families = {family.name: family for family in
                    parser.text_string_to_metric_families(self.texts["application/openmetrics-text"])}
        self.assertEqual(families["xsched_program_held_seconds"].type, "counter")
        self.assertEqual(families["xsched_program_held_seconds"].unit, "seconds")
        self.assertGreater(len(families["xsched_program_device_ratio"].samples), 0)

    def test_the_python_client_reads_the_older_format(self):
        try:
            from prometheus_client import parser
        except ImportError:
            self.skipTest("python3-prometheus-client is not installed (scripts/install_deps.sh test)")
        families = {family.name: family for family in parser.text_string_to_metric_families(self.texts["text/plain"])}
        self.assertNotIn("unknown", {family.type for family in families.values()})
        self.assertGreater(len(families["xsched_program_held_seconds"].samples), 0)

    @NEEDS_PROMTOOL
    def test_promtool_has_nothing_to_say_about_the_older_format(self):
        self.assertEqual(promtool("check", "metrics", text=self.texts["text/plain"]), (0, ""))

    @NEEDS_PROMTOOL
    def test_prometheus_stores_openmetrics(self):
        """Prometheus' importer wants a time at each sample, which a scrape gives."""
        now = str(int(datetime.datetime.now().timestamp()))
        timed = re.sub(r"^([^#].*)$", rf"\1 {now}", self.texts["application/openmetrics-text"], flags=re.M)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "numbers"
            file.write_text(timed)
            status, said = promtool("tsdb", "create-blocks-from", "openmetrics", str(file), f"{folder}/data")
        self.assertEqual(status, 0, said)

    @NEEDS_PROMTOOL
    def test_the_alerts_are_sound(self):
        status, said = promtool("check", "rules", str(RULES))
        self.assertEqual(status, 0, said)
        self.assertIn("rules found", said)

    @NEEDS_PROMTOOL
    def test_each_alert_fires_when_it_is_due_and_not_otherwise(self):
        for file in (RULES, Path(__file__).with_name("alerts.yml")):
            shutil.copy(file, self.folder)
        status, said = promtool("test", "rules", f"{self.folder}/alerts.yml")
        self.assertEqual(status, 0, said)


if __name__ == "__main__":
    run_tests(GIVEN, "bin", "guest", "driver")
