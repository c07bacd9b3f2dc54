#!/usr/bin/env python3
"""Shows the gain of XSched for one's own programs: runs them alone, shared natively and under XSched, in turns, and
writes a page. `xcli report` starts it with all that was asked for as JSON (src/cli/report.cpp); docs/seeing.md says how
to read it. Exit status 0, or 1 if nothing could be measured; interrupted: 130. No process is left behind."""
import json
import os
import shlex
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lib import disturbance, own_findings, own_page  # noqa: E402
from lib.own_measuring import OTHER, URGENT, Turn, bare_walls  # noqa: E402
from lib.own_processes import Place, ProgramFailed  # noqa: E402

PRIORITY = 10
MOST_START_UP = 300  # seconds of start-up and warming up, in all, after which no round begins (judgement)


def say(text):
    print(text, file=sys.stderr, flush=True)


class Measuring:
    """The rounds. `other` is None while one program runs beside itself."""

    def __init__(self, place, told):
        self.place, self.told = place, told
        urgent = told["program"] or shlex.split(told["urgent"])
        other = shlex.split(told["background"])
        self.same = not other or other == urgent
        self.programs = {URGENT: urgent, OTHER: urgent if self.same else other}
        self.titles = {URGENT: shlex.join(urgent), OTHER: shlex.join(self.programs[OTHER])}
        self.turns = {way: [] for way in ("alone", "other alone", "native", "xsched")}
        self.bare = {"alone": [], "shared": []}
        self.ways = ["alone", "native", "xsched"] if self.same else list(self.turns)
        self.limit = told["seconds"] / (len(self.ways) * told["rounds"])
        self.rounds, self.start_up = 0, 0.0  # seconds

    def turn(self, way):
        roles = {"alone": [URGENT], "other alone": [OTHER]}.get(way, [URGENT, OTHER])
        policy, priorities = ("HPF", {URGENT: PRIORITY}) if way == "xsched" else ("OBSERVE", {})
        say(f"round {self.rounds + 1}: {way}")
        turn = Turn(self.place, self.told, self.titles, policy, priorities)
        try:
            self.turns[way].append(turn.run({role: self.programs[role] for role in roles}, self.limit))
            self.start_up += turn.start_up
        except ProgramFailed as error:
            raise ProgramFailed(f"{way}: {error}") from None

    def without_xsched(self):
        """Wall times to compare with, of programs that end by themselves."""
        longest = 3 * self.limit + 5
        if URGENT in self.turns["alone"][-1].walls:
            say(f"round {self.rounds + 1}: alone, without XSched")
            self.bare["alone"].append(bare_walls(self.place, self.titles, {URGENT: self.programs[URGENT]}, longest))
        if URGENT in self.turns["native"][-1].walls and OTHER in self.turns["native"][-1].walls:
            say(f"round {self.rounds + 1}: shared, without XSched")
            self.bare["shared"].append(bare_walls(self.place, self.titles, self.programs, longest))

    def run(self):
        began, longest = time.monotonic(), 0
        while self.rounds < self.told["rounds"]:
            start, start_up = time.monotonic(), self.start_up
            first = self.rounds % len(self.ways)
            for way in self.ways[first:] + self.ways[:first]:
                self.turn(way)
            self.without_xsched()
            self.rounds += 1
            longest = max(longest, time.monotonic() - start - (self.start_up - start_up))
            left = self.told["seconds"] * 1.5 + 30 - (time.monotonic() - began - self.start_up)
            if self.rounds < self.told["rounds"] and (longest > left or self.start_up > MOST_START_UP):
                say(f"the time is over after {self.rounds} of {self.told['rounds']} rounds: -t gives more")
                break


def check_writable(path):
    """Before anything is measured for it."""
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise OSError(f"{path} cannot be written: choose another place with --out")


def failed(told, why, status):
    """Says why nothing was measured, with --json also as the object that every command has for an error."""
    print(f"xcli: {why}", file=sys.stderr)
    if told["json"]:
        print(json.dumps({"ok": False, "error": str(why), "status": status}, indent=2))
    return status


def main():
    told = json.loads(sys.argv[1])
    try:
        check_writable(Path(told["out"]))
        with Place() as place:
            measuring = Measuring(place, told)
            rounds = "1 round" if told["rounds"] == 1 else f"{told['rounds']} rounds"
            say(f"{len(measuring.ways)} ways, {rounds}, at most {measuring.limit:.1f} s each besides "
                "start-up")
            watch = disturbance.Watch()
            measuring.run()
            found = own_findings.conclude(measuring, watch.stop())
            own_page.write(found, told["out"])
    except (ProgramFailed, OSError, ValueError) as error:
        return failed(told, error, 1)
    except KeyboardInterrupt:
        return failed(told, "interrupted; every program was ended", 130)
    print(json.dumps(own_findings.numbers(found), indent=2) if told["json"] else
          f"{own_page.text(found)}\n\nThe page: {told['out']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
