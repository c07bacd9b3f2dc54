#!/usr/bin/env python3
"""A real Prometheus scrapes xcli metrics, as docs/seeing.md says, and evaluates what the dashboard and alerts ask.

  prometheus_test.py --bin FOLDER --guest PROGRAM --driver LIBRARY [unittest's arguments]

The arguments are those of formats_test.py. Ends with 77 where Prometheus is not installed.
"""
import json
import shutil
import socket
import subprocess
import sys
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from exported import GIVEN, PROMETHEUS, READY_S, Exported  # noqa: E402
from script import run_tests  # noqa: E402

SKIPPED = 77
NOT_YET = 503  # what Prometheus answers while it starts
WINDOW = "10s"  # of rates; Grafana puts four times the distance of two scrapes there
CONFIGURATION = """global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
scrape_configs:
  - job_name: xsched
    authorization: {{credentials_file: {token}}}
    static_configs: [{{targets: ["{place}"]}}]
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Scraped(Exported):
    PROGRAMS = (("-p", "10"), ("-p", "0"))  # the second one is held for the first

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        place, token = cls.serve()
        file = cls.folder / "prometheus.yml"
        file.write_text(CONFIGURATION.format(rules=PROMETHEUS / "xsched-alerts.yml", token=token, place=place))
        cls.url = f"http://127.0.0.1:{free_port()}"
        cls.start(["prometheus", f"--config.file={file}", f"--storage.tsdb.path={cls.folder}/data",
                   f"--web.listen-address={cls.url.removeprefix('http://')}", "--log.level=error"], stdout=None)
        cls.instance = place
        cls.dashboard = json.loads((PROMETHEUS / "grafana-dashboard.json").read_text())
        cls.wait_for(lambda: cls.evaluate(f"rate(xsched_program_hold_seconds_count[{WINDOW}]) > 0"))

    @classmethod
    def ask(cls, path, **query):
        try:
            with urllib.request.urlopen(f"{cls.url}/api/v1/{path}?{urllib.parse.urlencode(query)}",
                                        timeout=READY_S) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as refused:
            if refused.code == NOT_YET:
                return {}
            raise AssertionError(refused.read().decode()) from None
        except urllib.error.URLError:  # it does not listen yet
            return {}

    @classmethod
    def evaluate(cls, expression):
        return cls.ask("query", query=expression).get("result")

    def test_prometheus_chooses_openmetrics_and_shows_the_token(self):
        [target] = self.ask("targets")["activeTargets"]
        self.assertEqual((target["health"], target["lastError"]), ("up", ""))
        [entry] = self.ask("metadata", metric="xsched_program_held_seconds")["xsched_program_held_seconds"]
        self.assertEqual((entry["type"], entry["unit"]), ("counter", "seconds"), "the older format has no units")

    def test_each_expression_of_the_dashboard_has_values(self):
        asked = [(panel["title"], target["expr"]) for panel in self.dashboard["panels"] for target in panel["targets"]]
        self.assertGreater(len(asked), 8)
        for title, expression in asked:
            concrete = expression.replace("$__rate_interval", WINDOW).replace("$instance", self.instance)
            values = [one["value"][1] for one in self.evaluate(concrete)]
            self.assertTrue([value for value in values if value != "NaN"], (title, concrete, values))

    def test_the_dashboards_legends_name_labels_that_there_are(self):
        for panel in self.dashboard["panels"]:
            for target in panel["targets"]:
                concrete = target["expr"].replace("$__rate_interval", WINDOW).replace("$instance", self.instance)
                labels = self.evaluate(concrete)[0]["metric"]
                for part in target["legendFormat"].split("{{")[1:]:
                    self.assertIn(part.partition("}}")[0].strip(), labels, panel["title"])

    def test_the_dashboards_machines_are_found(self):
        [query] = [one["query"]["query"] for one in self.dashboard["templating"]["list"] if one["type"] == "query"]
        metric, label = query.removeprefix("label_values(").removesuffix(")").split(", ")
        self.assertEqual(self.ask(f"label/{label}/values", **{"match[]": metric}), [self.instance])

    def test_the_alerts_are_evaluated(self):
        def rules():
            groups = self.ask("rules").get("groups", [])
            found = {rule["name"]: rule for group in groups for rule in group["rules"]}
            return found if found and all(rule["health"] == "ok" for rule in found.values()) else None

        found = self.wait_for(rules)
        self.assertEqual(len(found), 5)

    def test_the_numbers_are_those_of_xcli(self):
        told = {line.split(" ")[0]: line.split(" ")[1] for line in self.xcli("metrics").splitlines()
                if line.startswith("xsched_program_priority{")}
        self.assertEqual(sorted(one["value"][1] for one in self.evaluate("xsched_program_priority")),
                         sorted(told.values()))


if __name__ == "__main__":
    if shutil.which("prometheus") is None:
        print("skipped: prometheus is not installed (scripts/install_deps.sh packaging)")
        sys.exit(SKIPPED)
    run_tests(GIVEN, "bin", "guest", "driver")
