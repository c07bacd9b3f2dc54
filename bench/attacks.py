#!/usr/bin/python3
"""The effect on honest programs of attacks on a server of all users (docs/SECURITY.md): the time from an urgent queue's
readiness to the directive for another client, and until another user's tool is answered. Needs root, and a machine that
is otherwise idle; six minutes. The programs: `cmake --build BUILD --target attack_cost spinner`. An idle-class thread
keeps each processor awake: if a sleeping processor takes milliseconds to wake, all programs are faster beside an
attacker, and nothing can be compared."""
import datetime
import json
import os
import statistics
import subprocess
import sys
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import report  # noqa: E402
from lib.awake import Awake  # noqa: E402
from lib.command import options_parser  # noqa: E402

MOST_RATIO = 2       # of the directives' p50 beside an attack to the undisturbed one; of the p99 in the verdict
MOST_TOOL_MS = 100   # p50 of another user's answers
MOST_MIB = 192       # the server's growth: 256 clients of half a MiB each, answers, records
STOOD_STILL_US = 1000  # without an attack: a round with a longer p99 is not compared, since the machine stood still
TIMEOUT_SECONDS = 1200


def stood_still(p99_us):
    return p99_us > STOOD_STILL_US


def p50_ratio(figures, other):
    return figures["p50_us"] / other["p50_us"] if other["p50_us"] > 0 and not figures["failures"] else None


def ratio(figures, other):
    """Returns the p99 by rounds: a disturbance by the host in one of them counts once. Returns None if it
    stood still in each."""
    pairs = zip(figures["p99_us_of_rounds"], other["p99_us_of_rounds"])
    found = [mine / others for mine, others in pairs if others > 0 and not stood_still(others)]
    return statistics.median(found) if found and not figures["failures"] else None


def judge(found):
    """Adds to each attack how it compares, and whether that is within the limits. Beside a program that only uses as
    much of the processors the server can do nothing: `added` is what the attack costs beyond that."""
    rounds = [p99_us for attack in found["attacks"] for p99_us in attack["alone"]["p99_us_of_rounds"]]
    found["rounds_beside_nobody"] = len(rounds)
    found["rounds_stood_still"] = sum(map(stood_still, rounds))
    for attack in found["attacks"]:
        attack["quietest_p99_us"] = min(attack["p99_us_of_rounds"], default=None)
        attack["ratio"] = ratio(attack, attack["alone"])
        attack["burner"]["ratio"] = ratio(attack["burner"], attack["alone"])
        attack["added"] = ratio(attack, attack["burner"])
        attack["added_met"] = report.met(attack["added"], "<=", MOST_RATIO)
        attack["p50_ratio"] = p50_ratio(attack, attack["alone"])
        attack["met"] = report.met(attack["p50_ratio"], "<=", MOST_RATIO) and attack["within_limits"] and \
            report.met(attack["tool_p50_ms"], "<=", MOST_TOOL_MS) and attack["looks_in_d"] == 0 and \
            attack["resident_mib"] <= MOST_MIB


def verdict(found):
    """A sentence."""
    attacks, rounds, still = found["attacks"], found["rounds_beside_nobody"], found["rounds_stood_still"]
    met = f"{sum(attack['met'] for attack in attacks)} of {len(attacks)} attacks: p50 at most {MOST_RATIO} x that " \
        f"without an attack, no thread in D, answers within {MOST_TOOL_MS} ms (p50), memory within the limits; "
    judged = [attack for attack in attacks if attack["ratio"] is not None]
    if not judged or still * 2 > rounds:
        return f"{met}the machine allows no verdict on the p99: without an attack it stood still in {still} of " \
            f"{rounds} rounds"
    within = sum(attack["ratio"] <= MOST_RATIO for attack in judged)
    beyond = sum(report.met(attack["added"], "<=", MOST_RATIO) for attack in attacks)
    return f"{met}{within} of {len(attacks)} attacks at most {MOST_RATIO} x the p99 without an attack, {beyond} of " \
        f"{len(attacks)} beside the burner; the machine stood still in {still} of {rounds} rounds without an attack"


def table(found):
    rows = [("beside", "p50 us", "ratio", "p99 us", "ratio", "same burner", "added", "tool p50 ms", "p99 ms", "in D",
             "attacker", "server", "MiB", "met")]
    alone = found["undisturbed"]
    rows.append(("no attack", alone["p50_us"], "", alone["p99_us"], "", "", "", alone["tool_p50_ms"],
                 alone["tool_p99_ms"], f"{alone['looks_in_d']}/{alone['looks']}", "", alone["server_share"], "", ""))
    for attack in found["attacks"]:
        ratios = attack["p50_ratio"], attack["ratio"], attack["burner"]["ratio"], attack["added"]
        p50, *shown = [f"{value:.2f}" if value is not None else "-" for value in ratios]
        rows.append((attack["name"], attack["p50_us"], p50, attack["p99_us"], *shown, attack["tool_p50_ms"],
                     attack["tool_p99_ms"], f"{attack['looks_in_d']}/{attack['looks']}", attack["hostile_share"],
                     attack["server_share"], attack["resident_mib"], "yes" if attack["met"] else "no"))
    return report.table(rows)


def main():
    parser = options_parser(__doc__, "dev")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--samples", type=int, default=1000, help="of each situation and round")
    parser.add_argument("--only", help="this attack alone")
    parser.add_argument("--limit", type=int, default=TIMEOUT_SECONDS, help="seconds: no round begins that takes longer")
    parser.add_argument("--alone-here", action="store_true", help="no other user is here: keep the processors "
                        "awake also where its control groups are given processors by weight")
    arguments = parser.parse_args()
    command = [arguments.build / "bin" / "attack_cost", "--rounds", str(arguments.rounds), "--samples",
               str(arguments.samples), "--limit-s", str(arguments.limit),
               *(["--only", arguments.only] if arguments.only else [])]
    load = os.getloadavg()[0]
    try:
        with Awake(types.SimpleNamespace(build=arguments.build, environment={}), arguments.alone_here) as awake:
            ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error, file=sys.stderr)
        return 2
    if ended.returncode != 0:
        return 2
    found = json.loads(ended.stdout)
    judge(found)
    print(table(found))
    print(verdict(found))
    result = {"what": "What an honest program notices of attacks: bench/attacks.py",
              "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "commit": report.version(), "machine": f"{os.cpu_count()} processors, {report.cpu_model()}",
              "load_before": round(load, 2),
              "awake": awake.reason or "an idle-class thread keeps each processor awake",
              "verdict": verdict(found), **found}
    arguments.results.mkdir(parents=True, exist_ok=True)
    path = arguments.results / "attacks.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
